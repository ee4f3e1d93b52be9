import { readArguments } from '#scripts/read-arguments.mjs'
import { measureBillingFaults } from './measure-billing-faults.ts'
import { measureBillingKills } from './measure-billing-kills.ts'
import { measureBillingYear } from './measure-billing-year.ts'
import { measureBounds } from './measure-bounds.ts'
import { measureCalls } from './measure-calls.ts'
import { measureCatalogue } from './measure-catalogue.ts'
import { measureImport, measureLongImport } from './measure-import.ts'
import { measureLighthouse, measureWithLighthouse } from './measure-lighthouse.ts'
import { measureMemory } from './measure-memory.ts'
import { measurePlayback } from './measure-playback.ts'
import { measureProcesses } from './measure-processes.ts'
import { measureSegments } from './measure-segments.ts'
import { measureSignIn } from './measure-sign-in.ts'
import { measureStudio } from './measure-studio.ts'
import { startBenchSite, type BenchSite } from './start-bench-site.ts'
import { printTable, type Row } from './table.ts'

/** `npm run bench` measures everything, `npm run bench -- calls segments` these, `npm run bench -- catalogue` the sizes of a catalogue, `npm run bench -- billing-year` a year of subscriptions, `billing-kills` and `billing-faults` what kills and faults do to payments, `bounds` what strangers can hold and leave behind, `npm run bench -- lighthouse URL` the pages of a site that runs. It fails only where something could not be measured. */
const measurements: Record<string, (site: BenchSite) => Promise<Row[]>> = {
  calls: measureCalls,
  processes: measureProcesses,
  memory: measureMemory,
  'sign-in': measureSignIn,
  segments: measureSegments,
  playback: measurePlayback,
  import: measureImport,
  'import-long': measureLongImport,
  lighthouse: measureLighthouse,
}

/** Half an hour on two cores. */
const onRequest = new Set(['import-long'])

/** These fill databases of their own, for minutes: only where they are asked for. */
const withDatabases: Record<string, (args: readonly string[]) => Promise<void>> = {
  catalogue: measureCatalogue,
  studio: measureStudio,
  'billing-year': measureBillingYear,
  'billing-kills': measureBillingKills,
  'billing-faults': measureBillingFaults,
  bounds: measureBounds,
}

// A measurement may have options of its own.
readArguments(
  {
    name: 'bench',
    about: `Measures this machine: ${Object.keys({ ...measurements, ...withDatabases }).join(', ')}.`,
    positionals: '[measurement …]',
  },
  process.argv.includes('--help') ? ['--help'] : [],
)
const wanted = process.argv.slice(2).filter((name) => name !== '--')
const alone = withDatabases[wanted[0] ?? '']
if (alone) {
  await alone(wanted.slice(1))
  process.exit()
}
if (wanted[0] === 'lighthouse' && wanted[1] !== undefined) {
  printTable(await measureWithLighthouse(new URL(wanted[1]).origin))
  process.exit()
}
const unknown = wanted.find((name) => !(name in measurements))
if (unknown !== undefined) {
  console.error(
    `There is no measurement “${unknown}”. These are known: ${Object.keys({ ...measurements, ...withDatabases }).join(', ')}.`,
  )
  process.exit(2)
}

console.log('Making a film and starting a site with it …')
const site = await startBenchSite()
const rows: Row[] = []
try {
  for (const [name, measure] of Object.entries(measurements)) {
    if (wanted.length > 0 ? !wanted.includes(name) : onRequest.has(name)) continue
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
