// npm test: installs missing packages, builds the pages if they have changed, and runs the unit and HTTP tests and the
// browser tests of the main flows, in a random order. `npm test -- --seed=N` repeats an order. Prints a table of
// durations, the commands of the other suites, and a last line `N passed, N failed`.
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runPlaywright, runVitest, sayOutcomes } from './test-runner/run-tests.mjs'
import { buildWeb, main, setUp } from './setup.mjs'
import { Stopwatch } from './test-runner/stopwatch.mjs'

const notBuilt = {
  passed: 0,
  failures: ['the web pages could not be built, so the browser tests did not run'],
}

readArguments({
  name: 'test',
  about: 'Runs the unit and HTTP tests, and the browser tests of the main flows.',
  options: { seed: { type: 'string', about: 'repeats the random order of an earlier run' } },
})

/** Leaves out the projects of `npm run test:media`, `test:processes` and `test:properties`, which take minutes. */
const withoutLongProjects = ['films', 'processes', 'properties'].map((name) => `--project=!${name}`)

await main(async () => {
  const seed = chooseSeed()
  console.log(`The tests run in a random order: npm test -- --seed=${seed} repeats it.`)
  const stopwatch = new Stopwatch()
  await stopwatch.time('set-up', () => setUp('full'))
  const built = (await stopwatch.time('build of the pages', buildWeb)) === 0
  const unit = await stopwatch.time('unit and HTTP tests', () => runVitest(seed, withoutLongProjects))
  const browser = built ? await stopwatch.time('browser tests', () => runMainFlows(seed)) : notBuilt
  stopwatch.print()
  console.log(
    'Other suites: npm run test:screens (all other browser tests), test:media (films), test:processes (processes and services that start, stop and fail) and test:properties (random sequences).',
  )
  return sayOutcomes(seed, unit, browser)
})

function runMainFlows(seed) {
  return runPlaywright(seed, 'e2e/main-flows.config.ts')
}
