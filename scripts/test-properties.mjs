// npm run test:properties: the property tests with many random cases each (PROPERTY_RUNS, 2,000 by default). A failure names the seed
// and the path that repeat it: PROPERTY_SEED and PROPERTY_PATH.
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runVitest, sayOutcomes } from './test-runner/run-tests.mjs'
import { main, setUp } from './setup.mjs'

readArguments({
  name: 'test:properties',
  about: 'Runs the property tests with many random cases each.',
  options: { seed: { type: 'string', about: 'repeats the random order of an earlier run' } },
})

await main(async () => {
  await setUp('full')
  process.env['PROPERTY_RUNS'] ??= '2000'
  const seed = chooseSeed()
  return sayOutcomes(seed, await runVitest(seed, ['properties.test']))
})
