import type { Endpoint } from '#contract/endpoint.ts'
import type { Role } from './roles.ts'

/** A studio command: an endpoint for the app at /studio, and a command of the command line (`npm run studio -- …`). */
export interface CommandEndpoint extends Endpoint {
  path: `/api/studio/${string}`
  /** The name on the command line, such as `video publish`. `args` are its positional arguments. */
  command: string
  args?: readonly string[]
  /** Set for an irreversible command: without `--yes`, the command line asks for these fields and a confirmation. */
  confirmationFields?: readonly string[]
  /** The roles that may run it. The command line has the owner's rights. */
  roles: readonly Role[]
}

/**
 * Declares a command, which is refused to callers who are not signed in or lack the role. Unlike `endpoint`, it adds no
 * click ids to the input, because operators' requests carry none.
 */
export function command<const E extends CommandEndpoint>(definition: E): E {
  return { ...definition, refuses: ['signInRequired', 'notAllowed', ...definition.refuses] }
}

/** Returns true if an endpoint is a studio command. */
export function isCommand(endpoint: Endpoint): endpoint is CommandEndpoint {
  return 'command' in endpoint && 'roles' in endpoint
}
