import { readFileSync } from 'node:fs'
import { CommanderError, type Command } from 'commander'
import { commandLineOf } from '#scripts/command-line-of.mjs'
import { UsageError } from '#server/platform/config/config-error.ts'

/**
 * Parses arguments with a program, which calls the action of the named command.
 * @returns the help or the version if requested, or the help if no command is named; otherwise an empty string
 * @throws UsageError for invalid arguments, with a suggestion if there is a similar name
 */
export function parseArguments(program: Command, args: readonly string[]): string {
  let help = ''
  configureCommand(program, (text) => {
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

/**
 * Configures every command of a tree: help is passed to `write`, and nothing exits the process. The program and its
 * direct subcommands (the npm scripts) also have `--version`.
 */
function configureCommand(command: Command, write: (text: string) => void, depth = 0): void {
  command
    .exitOverride()
    // An option after a command's name belongs to that command: `text save … --version` does not print the program's
    // version.
    .enablePositionalOptions()
    .helpOption('-h, --help', 'shows this help')
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
    .configureHelp({ commandUsage: usageOf })
  if (depth <= 1) command.version(version(), '-V, --version', 'shows the version')
  for (const each of command.commands) configureCommand(each, write, depth + 1)
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** Returns the usage as an operator types it: `npm run studio -- order list [options]`. */
function usageOf(command: Command): string {
  const names: string[] = []
  for (let each = command; each.parent; each = each.parent) names.unshift(each.name())
  const [script = 'COMMAND', ...rest] = names
  return commandLineOf(script, [...rest, command.usage()].join(' '))
}
