// What a script may be given: `--help` on each, and nothing that it does not know. Imports nothing but Node's own modules.
import { parseArgs } from 'node:util'

/**
 * Reads the arguments of a script of npm. `--help` prints what the script does and takes, and ends with status 0; what is not
 * known ends it with status 2, before anything is done.
 * @param {object} script
 * @param {string} script.name as npm runs it, such as `test:two`
 * @param {string} script.about what it does, in one sentence
 * @param {Record<string, { type: 'string' | 'boolean', about: string }>} [script.options]
 * @param {string} [script.positionals] what may be named besides, such as `[group …]`
 * @param {string[]} [given]
 */
export function readArguments({ name, about, options = {}, positionals }, given = process.argv.slice(2)) {
  const known = { ...options, help: { type: 'boolean', about: 'shows this help' } }
  const run = ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`
  try {
    const { values, positionals: named } = parseArgs({
      args: given,
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
    console.error(`See: ${run} -- --help`)
    process.exit(2)
  }
  const takes = Object.entries(known).map(
    ([option, { type, about: words }]) => `  --${option}${type === 'string' ? ' <value>' : ''}  ${words}`,
  )
  console.log(
    `Usage: ${run} -- [options]${positionals ? ` ${positionals}` : ''}\n\n${about}\n\n${takes.join('\n')}`,
  )
  process.exit(0)
}
