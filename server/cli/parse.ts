import { readFileSync } from 'node:fs'
import { CommanderError, type Command } from 'commander'
import { UsageError } from '#server/platform/config/config-error.ts'

/**
 * Has a program understand what was typed, which calls its action.
 * @returns the help or the version, where somebody asked for that or named no command
 * @throws UsageError for what cannot be understood, with what was perhaps meant
 */
export function parseWith(program: Command, args: readonly string[]): string {
  let help = ''
  prepare(program, (text) => {
    help += text
  })
  try {
    program.parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0 && error.code !== 'commander.help')
      throw new UsageError(error.message.replace(/^error: /, ''), { cause: error })
  }
  return help.trimEnd()
}

/** Every command of a tree has help, writes it to where it is collected, and ends no process. The scripts of npm have the version too. */
function prepare(command: Command, write: (text: string) => void, depth = 0): void {
  command
    .exitOverride()
    // An option after a command's words is that command's: `text save … --version` is no question for the version.
    .enablePositionalOptions()
    .helpOption('-h, --help', 'shows this help')
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
    .configureHelp({ commandUsage: usageOf })
  if (depth <= 1) command.version(version(), '-V, --version', 'shows the version')
  for (const each of command.commands) prepare(each, write, depth + 1)
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** As npm runs it: `npm run studio -- order list [options]`. */
function usageOf(command: Command): string {
  const names: string[] = []
  for (let each = command; each.parent; each = each.parent) names.unshift(each.name())
  const [script = 'COMMAND', ...rest] = names
  return ['npm run', script, '--', ...rest, command.usage()].join(' ')
}
