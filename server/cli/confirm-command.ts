import { createInterface } from 'node:readline/promises'
import type { ParsedCommand } from './studio-program.ts'
import { UsageError } from '#server/platform/config/config-error.ts'

/** Asks a question at a terminal. @returns the typed answer */
export type Prompt = (question: string) => Promise<string>

/**
 * Creates a prompt.
 * @returns undefined if the input or the output is not a terminal (a file, a pipe, a service manager)
 */
export function terminalPrompt({
  stdin,
  stdout,
}: Pick<NodeJS.Process, 'stdin' | 'stdout'>): Prompt | undefined {
  if (!stdin.isTTY || !stdout.isTTY) return undefined
  return async (question) => {
    const terminal = createInterface({ input: stdin, output: stdout })
    try {
      return await terminal.question(question)
    } finally {
      terminal.close()
    }
  }
}

/**
 * Prompts for confirmation of a command that cannot be undone, and for missing fields such as a reason. Scripts give
 * the fields as options, and confirm with `--yes`.
 * @returns false if the operator declined
 * @throws UsageError if a field is missing, or if confirmation is required and there is no terminal
 */
export async function confirmCommand(
  { invocation, commandName, yes }: ParsedCommand,
  ask: Prompt | undefined,
): Promise<boolean> {
  if (!('command' in invocation)) return true
  const { confirmationFields } = invocation.command.endpoint
  if (!confirmationFields) return true
  for (const name of confirmationFields.filter((each) => invocation.input[each] === undefined)) {
    if (!ask) throw new UsageError(`required option '--${name} <value>' not specified`)
    const typed = (await ask(`${name}: `)).trim()
    if (typed === '') throw new UsageError(`required option '--${name} <value>' not specified`)
    invocation.input[name] = typed
  }
  if (yes) return true
  if (!ask) throw new UsageError(`${commandName} cannot be undone: confirm it with --yes`)
  const subject = Object.entries(invocation.input).map(([name, value]) => `${name} ${String(value)}`)
  const answer = await ask(`${commandName}: ${subject.join(', ')}. This cannot be undone. Continue? (y/N) `)
  return /^y(es)?$/i.test(answer.trim())
}
