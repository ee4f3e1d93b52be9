import { readArguments } from '#scripts/read-arguments.mjs'
import type { BenchSite } from './site/start-bench-site.ts'
import { printTable, type Row } from './result-table.ts'

/**
 * `npm run bench` runs all measurements, `npm run bench -- calls segments` only the named ones. `npm run bench --
 * lighthouse URL` measures the pages of a running site.
 *
 * A measurement that could not be completed makes the command fail. A missed target makes it fail only for `studio`,
 * `bounds` and the billing measurements. A module is loaded when its measurement starts.
 *
 * These measurements run only if named:
 * - `catalogue`: catalogues of several sizes
 * - `studio`: the studio of a large site
 * - `billing-year`: a year of subscriptions
 * - `billing-kills`, `billing-faults`: payments while processes are killed, or with network faults
 * - `bounds`: memory and disk use under attack
 * - `capacity`: cost per viewer, sale and upload
 * - `alerts`: time until each alert
 * - `mails`: mails a second
 * - `reconciliation`: memory for a day of 150,000 payments
 * - `import-long`: imports of long videos
 */
const measurements: Record<string, (site: BenchSite) => Promise<Row[]>> = {
  calls: async (site) => (await import('./http/measure-calls.ts')).measureCalls(site),
  processes: async (site) => (await import('./http/measure-processes.ts')).measureProcesses(site),
  memory: async (site) => (await import('./http/measure-memory.ts')).measureMemory(site),
  'sign-in': async (site) => (await import('./http/measure-sign-in.ts')).measureSignIn(site),
  segments: async (site) => (await import('./http/measure-segments.ts')).measureSegments(site),
  playback: async (site) => (await import('./playback/measure-playback.ts')).measurePlayback(site),
  watching: async (site) => (await import('./playback/measure-watching.ts')).measureWatching(site),
  import: async (site) => (await import('./import/measure-import.ts')).measureImport(site),
  'import-long': async (site) => (await import('./import/measure-import.ts')).measureLongImport(site),
  lighthouse: async (site) => (await import('./pages/measure-lighthouse.ts')).measureLighthouse(site),
}

/** Measurements that run only if named, because they take half an hour on two cores. */
const onlyIfNamed = new Set(['import-long'])

/** Measurements that create their own databases, which takes minutes. They run only if named. */
const withDatabases: Record<string, (args: readonly string[]) => Promise<void>> = {
  catalogue: async (args) => (await import('./catalogue/measure-catalogue.ts')).measureCatalogue(args),
  studio: async (args) => (await import('./studio/measure-studio.ts')).measureStudio(args),
  'billing-year': async (args) =>
    (await import('./billing/measure-billing-year.ts')).measureBillingYear(args),
  'billing-kills': async (args) =>
    (await import('./billing/measure-billing-kills.ts')).measureBillingKills(args),
  'billing-faults': async (args) =>
    (await import('./billing/measure-billing-faults.ts')).measureBillingFaults(args),
  bounds: async (args) => (await import('./bounds/measure-bounds.ts')).measureBounds(args),
  capacity: async (args) => (await import('./capacity/measure-capacity.ts')).measureCapacity(args),
  alerts: async () => (await import('./alerts/measure-alerts.ts')).measureAlerts(),
  mails: async () => (await import('./mails/measure-mails.ts')).measureMails(),
  reconciliation: async () => (await import('./billing/measure-reconciliation.ts')).measureReconciliation(),
}

// Reads only `--help` here, because measurements have their own options.
readArguments(
  {
    name: 'bench',
    about: `Measures this machine: ${Object.keys({ ...measurements, ...withDatabases }).join(', ')}.`,
    positionals: '[measurement …]',
  },
  process.argv.includes('--help') ? ['--help'] : [],
)
const names = process.argv.slice(2).filter((name) => name !== '--')
const measureAlone = withDatabases[names[0] ?? '']
if (measureAlone) {
  await measureAlone(names.slice(1))
  process.exit()
}
if (names[0] === 'lighthouse' && names[1] !== undefined) {
  const { measureWithLighthouse } = await import('./pages/measure-lighthouse.ts')
  printTable(await measureWithLighthouse(new URL(names[1]).origin))
  process.exit()
}
const unknown = names.find((name) => !(name in measurements))
if (unknown !== undefined) {
  console.error(
    `There is no measurement “${unknown}”. These are known: ${Object.keys({ ...measurements, ...withDatabases }).join(', ')}.`,
  )
  process.exit(2)
}

console.log('Creating a video and starting a site with it …')
const { startBenchSite } = await import('./site/start-bench-site.ts')
const site = await startBenchSite()
const rows: Row[] = []
try {
  for (const [name, measure] of Object.entries(measurements)) {
    if (names.length > 0 ? !names.includes(name) : onlyIfNamed.has(name)) continue
    console.log(`Measuring: ${name} …`)
    try {
      rows.push(...(await measure(site)))
    } catch (error) {
      console.error(`${name} could not be measured:`, error)
      process.exitCode = 1
    }
  }
} finally {
  await site.close()
}
printTable(rows)
