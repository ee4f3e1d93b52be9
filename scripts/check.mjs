// npm run check: checks format, lint, types, dead code and commit messages, and runs the unit and HTTP tests (unless
// `--no-tests`). Stops at the first failure.
import { checkCommits } from './checks/check-commits.mjs'
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runVitest, sayOutcomes } from './test-runner/run-tests.mjs'
import { main, run, setUp } from './setup.mjs'

const { values } = readArguments({
  name: 'check',
  about:
    'Checks format, lint, types, dead code and the subjects of new commits, and runs the unit and HTTP tests.',
  options: {
    'no-tests': { type: 'boolean', about: 'skips the tests' },
    seed: { type: 'string', about: 'repeats the random order of an earlier run' },
  },
})
const seed = chooseSeed()
const steps = [
  ['format', () => run('oxfmt', ['--check'])],
  ['lint', () => run('oxlint', ['--deny-warnings'])],
  ['types', () => run('tsc', ['-p', 'tsconfig.json'])],
  ['dead code', () => run('knip', [])],
  ['commits', () => checkCommits()],
  ['tests', async () => sayOutcomes(seed, await runVitest(seed))],
]

await main(async () => {
  await setUp('full')
  const withTests = !values['no-tests']
  for (const [name, check] of withTests ? steps : steps.slice(0, -1)) {
    const started = Date.now()
    const status = await check()
    console.log(
      `${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`,
    )
    if (status !== 0) return 1
  }
  return 0
})
