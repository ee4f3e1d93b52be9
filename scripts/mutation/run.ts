import { availableParallelism } from 'node:os'
import { Stryker } from '@stryker-mutator/core'
import { groups, patternsOf, type Group } from './groups.ts'
import { summarise, writeTable, type Summary } from './summarise.ts'

/*
 * Changes the code of each group a little at a time and runs its tests, which have to fail. Interrupted, it carries on where
 * it was; a later run repeats only what may come out differently (docs/mutation.md). Arguments name the groups, all of them
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

async function mutate(group: Group) {
  // Read by vitest.config.ts, in the processes that Stryker starts.
  process.env['MUTATION_GROUP'] = group.name
  const stryker = new Stryker({
    mutate: patternsOf(group),
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false, pool: 'forks' },
    // Each has a database server of its own.
    concurrency: Math.min(2, availableParallelism()),
    incremental: true,
    incrementalFile: `.cache/mutation/${group.name}.json`,
    force: args.includes('--force'),
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { reportTests: false, reportScoreTable: false, logTests: false },
    tempDirName: '.cache/mutation/sandbox',
    cleanTempDir: 'always',
    ignorePatterns: ['/.cache', '/data', '/dist', '/test-results', '/docs'],
    // Vite ignores types, and there is no TypeScript 7 API to rewrite a tsconfig with: Stryker is given none.
    disableTypeChecks: false,
    tsconfigFile: 'none.json',
    // Counts as killed, so only what really never ends may run into it on a busy machine.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 30,
  })
  return stryker.runMutationTest()
}
