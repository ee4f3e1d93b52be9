// npm start: sets up what is missing, builds the pages if they changed, and runs the site.
import { readFileSync } from 'node:fs'
import { loadEnvFile } from './env-file.mjs'
import { readArguments } from './read-arguments.mjs'
import { isStopping } from './run-child.mjs'
import { buildWeb, main, root, run, setUp } from './setup.mjs'
import { supervise } from './supervise.mjs'

// A small nursery, and a bound that has what outlived it looked through sooner: else what is garbage already takes up to 90 MB.
// `--expose-gc`, for main.ts collects once after the start.
const nodeFlags = JSON.parse(readFileSync(new URL('node-flags.json', import.meta.url), 'utf8'))

/** What `--with` switches on that is off by default: a setting, unless the environment has it. */
const features = { balance: ['BALANCE', 'on'] }

const { values } = readArguments({
  name: 'start',
  about:
    'Sets up what is missing, builds the pages if they changed, and runs the site. Settings are environment variables (docs/configure.md).',
  options: {
    with: { type: 'string', about: `shows what is off by default: ${Object.keys(features).join(', ')}` },
  },
})
const wanted = values.with === undefined ? [] : values.with.split(',')
const unknown = wanted.find((name) => !Object.hasOwn(features, name))
if (unknown !== undefined) {
  console.error(`--with knows ${Object.keys(features).join(', ')}, not "${unknown}".`)
  process.exit(2)
}

await main(async () => {
  loadEnvFile(root)
  for (const name of wanted) {
    const [setting, value] = features[name]
    process.env[setting] ??= value
  }
  await setUp('run')
  const start = () => run('node', [...nodeFlags, 'server/main.ts'])
  return (await buildWeb()) || supervise(start, { isStopping })
})
