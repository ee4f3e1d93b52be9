// npm run config: prints the effective settings and their sources. Exits with status 1 if a setting is invalid.
import { readArguments } from '#scripts/read-arguments.mjs'
import { loadConfig } from './platform/config/config.ts'
import { runMain } from './platform/config/config-error.ts'
import { listEffectiveSettings } from './platform/config/environment-settings.ts'

/** Formats a table with a heading for each group. @returns lines of text */
function* formatConfig(env: NodeJS.ProcessEnv): Generator<string> {
  const groups = listEffectiveSettings(env)
  const all = groups.flatMap(({ settings }) => settings)
  const nameWidth = Math.max(...all.map(({ name }) => name.length))
  for (const { group, settings } of groups) {
    yield `\n${group}`
    for (const { name, value, source } of settings)
      yield `  ${name.padEnd(nameWidth)}  ${source.padEnd(11)}  ${value}`
  }
  const known = new Set(all.flatMap(({ name }) => [name, `${name}_FILE`]))
  const unknown = (env['ENV_FILE_SETTINGS'] ?? '')
    .split(',')
    .filter((name) => name !== '' && !known.has(name) && !name.startsWith('OTEL_'))
  if (unknown.length > 0) yield `\nIn .env, but no setting of Cliffhanger: ${unknown.join(', ')}`
}

readArguments({ name: 'config', about: 'Prints the effective settings and the source of each.' })

await runMain(async () => {
  loadConfig(process.env)
  for (const line of formatConfig(process.env)) process.stdout.write(`${line}\n`)
})
