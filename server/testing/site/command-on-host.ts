import type { SpawnOptions } from 'node:child_process'
import { boundToUs } from '#scripts/run-child.mjs'
import { asUser, type RunAs } from '#server/platform/database/embedded/embedded-user.ts'

/** A host of a virtual network: its address, and the command prefix that runs a program on it. */
export interface ServerHost {
  address: string
  enter: string[]
}

/**
 * Returns the command line and spawn options that run a program as the chosen user. The program runs on `host`, or on
 * this machine if `host` is undefined. It receives SIGTERM when this process exits.
 */
export function commandOnHost(
  host: ServerHost | undefined,
  runAs: RunAs | undefined,
  command: string,
  args: string[],
): { command: string; args: string[]; options: SpawnOptions } {
  if (!host) {
    const { options, ...program } = asUser(runAs, command, args)
    const [bound, words] = boundToUs(program.command, program.args)
    return { command: bound, args: words, options }
  }
  // Only root may enter the host, so a command on the host changes the user. SIGTERM is requested after that, because
  // the change of the user would revoke the request.
  const user = runAs && { ...runAs, needsDirCapability: true }
  const program = asUser(user, ...boundToUs(command, args))
  const [enter = '', ...words] = host.enter
  return { command: enter, args: [...words, program.command, ...program.args], options: {} }
}
