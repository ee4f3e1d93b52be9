// npm start: installs missing packages, builds the pages if they have changed, and runs the site.
import { readFileSync } from 'node:fs'
import { loadEnvFile } from './env-file.mjs'
import { readArguments } from './read-arguments.mjs'
import { isStopping, killSiteAfterMs } from './run-child.mjs'
import { buildWeb, main, root, run, setUp } from './setup.mjs'
import { supervise } from './supervise.mjs'

// Flags that limit V8's young and old generation, because garbage would otherwise occupy up to 90 MB.
// `--expose-gc` lets main.ts collect garbage once after the start.
const nodeFlags = JSON.parse(readFileSync(new URL('node-flags.json', import.meta.url), 'utf8'))

/** Optional features that `--with` turns on, and the setting of each. An environment variable takes precedence. */
const features = { balance: ['PREPAID_BALANCE', 'on'] }

const { values } = readArguments({
  name: 'start',
  about:
    'Installs missing packages, builds the pages if they changed, and runs the site. Settings are environment variables (docs/configure.md).',
  options: {
    with: {
      type: 'string',
      about: `turns on features that are off by default: ${Object.keys(features).join(', ')}`,
    },
  },
})
const requested = values.with === undefined ? [] : values.with.split(',')
const unknown = requested.find((name) => !Object.hasOwn(features, name))
if (unknown !== undefined) {
  console.error(`--with accepts ${Object.keys(features).join(', ')}, not "${unknown}".`)
  process.exit(2)
}

await main(async () => {
  loadEnvFile(root)
  for (const name of requested) {
    const [setting, value] = features[name]
    process.env[setting] ??= value
  }
  await setUp('run')
  const start = () => run('node', [...nodeFlags, 'server/main.ts'], {}, killSiteAfterMs)
  return (await buildWeb()) || supervise(start, { isStopping })
})
