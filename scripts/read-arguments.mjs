// Parses the arguments of npm scripts. Runs before packages are installed, so it imports only Node's own modules.
import { parseArgs } from 'node:util'
import { commandLineOf } from './command-line-of.mjs'

/**
 * Parses the arguments of an npm script. `--help` prints the usage and exits with status 0. An unknown option exits
 * with status 2, before the script does anything.
 * @param {object} script
 * @param {string} script.name its npm name, such as `test:two`
 * @param {string} script.about a one-sentence description
 * @param {Record<string, { type: 'string' | 'boolean', about: string }>} [script.options]
 * @param {string} [script.positionals] positional arguments, such as `[group …]`
 * @param {string[]} [argv]
 */
export function readArguments({ name, about, options = {}, positionals }, argv = process.argv.slice(2)) {
  const known = { ...options, help: { type: 'boolean', about: 'shows this help' } }
  try {
    const { values, positionals: named } = parseArgs({
      args: argv,
      options: Object.fromEntries(
        Object.entries(known).map(([option, { type }]) => [
          option,
          option === 'help' ? { type, short: 'h' } : { type },
        ]),
      ),
      allowPositionals: positionals !== undefined,
    })
    if (!values['help']) return { values, positionals: named }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error(`See: ${commandLineOf(name, '--help')}`)
    process.exit(2)
  }
  const takes = Object.entries(known).map(
    ([option, { type, about: words }]) => `  --${option}${type === 'string' ? ' <value>' : ''}  ${words}`,
  )
  console.log(
    `Usage: ${commandLineOf(name, `[options]${positionals ? ` ${positionals}` : ''}`)}\n\n${about}\n\n${takes.join('\n')}`,
  )
  process.exit(0)
}
