import { availableParallelism } from 'node:os'
import { Stryker } from '@stryker-mutator/core'
import { groups, mutatePatterns, type MutationGroup } from './mutation-groups.ts'
import { summarise, writeTable, type Summary } from './mutation-summary.ts'

/*
 * Runs the mutation tests of each group. An interrupted run is resumed, and a later run repeats only mutants whose result
 * may change (docs/mutation.md). Arguments name the groups, all of them
 * by default; `--force` repeats everything.
 */
const args = process.argv.slice(2)
const names = args.filter((arg) => !arg.startsWith('--'))
const unknown = names.filter((name) => !groups.some((group) => group.name === name))
if (unknown.length > 0)
  throw new Error(
    `There is no group ${unknown.join(', ')}: only ${groups.map(({ name }) => name).join(', ')}.`,
  )

const chosen = groups.filter(({ name }) => names.length === 0 || names.includes(name))
const summaries: Summary[] = []
for (const [index, group] of chosen.entries()) {
  console.log(`\nGroup ${index + 1} of ${chosen.length}: ${group.name}`)
  summaries.push(summarise(group.name, await mutate(group)))
}
console.log(`\n${writeTable(summaries)}`)
process.exitCode = writeTable(summaries).endsWith(' 0 failed') ? 0 : 1

async function mutate(group: MutationGroup) {
  // Read by vitest.config.ts, in the processes that Stryker starts.
  process.env['MUTATION_GROUP'] = group.name
  const stryker = new Stryker({
    mutate: mutatePatterns(group),
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false, pool: 'forks' },
    // Each runner has its own database server.
    concurrency: Math.min(2, availableParallelism()),
    incremental: true,
    incrementalFile: `.cache/mutation/${group.name}.json`,
    force: args.includes('--force'),
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { reportTests: false, reportScoreTable: false, logTests: false },
    tempDirName: '.cache/mutation/sandbox',
    cleanTempDir: 'always',
    ignorePatterns: ['/.cache', '/data', '/dist', '/test-results', '/docs'],
    // Vite ignores types, and TypeScript 7 has no API to rewrite a tsconfig, so Stryker gets none.
    disableTypeChecks: false,
    tsconfigFile: 'none.json',
    // A time-out counts as killed, so it must be long enough for a busy machine.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 30,
  })
  return stryker.runMutationTest()
}
