import { availableParallelism } from 'node:os'
import { Stryker } from '@stryker-mutator/core'
import { groups, mutatePatterns, type MutationGroup } from './mutation-groups.ts'
import { summarise, writeTable, type Summary } from './mutation-summary.ts'

/*
 * Runs the mutation tests of each group. A run continues an interrupted one, and repeats only mutants whose result may
 * have changed (docs/mutation.md). The arguments are names of groups; without them, all groups run. `--force` repeats
 * everything.
 */
const args = process.argv.slice(2)
const names = args.filter((arg) => !arg.startsWith('--'))
const unknown = names.filter((name) => !groups.some((group) => group.name === name))
if (unknown.length > 0)
  throw new Error(
    `There is no group ${unknown.join(', ')}. The groups are ${groups.map(({ name }) => name).join(', ')}.`,
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
  // The worker processes that Stryker starts inherit this variable, and vitest.config.ts reads it.
  process.env['MUTATION_GROUP'] = group.name
  const stryker = new Stryker({
    mutate: mutatePatterns(group),
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false, pool: 'forks' },
    // At most two, because each runner starts its own database server.
    concurrency: Math.min(2, availableParallelism()),
    incremental: true,
    incrementalFile: `.cache/mutation/${group.name}.json`,
    force: args.includes('--force'),
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { reportTests: false, reportScoreTable: false, logTests: false },
    tempDirName: '.cache/mutation/sandbox',
    cleanTempDir: 'always',
    ignorePatterns: ['/.cache', '/data', '/dist', '/test-results', '/docs'],
    // Disables Stryker's handling of types: Vite ignores them, and TypeScript 7 has no API to rewrite a tsconfig.
    disableTypeChecks: false,
    tsconfigFile: 'none.json',
    // A timeout counts as a killed mutant, so it must be long enough for a busy machine.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 30,
  })
  return stryker.runMutationTest()
}
