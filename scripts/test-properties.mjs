// npm run test:properties: runs each property test with many random cases (PROPERTY_RUNS, by default 2,000), and tests
// that simulate years of payments. A failure prints the values of PROPERTY_SEED and PROPERTY_PATH that repeat it.
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runVitest, sayOutcomes } from './test-runner/run-tests.mjs'
import { main, setUp } from './setup.mjs'

readArguments({
  name: 'test:properties',
  about: 'Runs the property tests with many random cases each, and tests that simulate years of payments.',
  options: { seed: { type: 'string', about: 'repeats the random order of an earlier run' } },
})

await main(async () => {
  await setUp('full')
  process.env['PROPERTY_RUNS'] ??= '2000'
  const seed = chooseSeed()
  return sayOutcomes(seed, await runVitest(seed, ['--project=properties']))
})
