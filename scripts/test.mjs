// npm test: installs missing packages, builds the pages if they have changed, and runs all tests in a random order.
// `npm test -- --seed=N` repeats an order. Prints a table of durations, and a last line `N passed, N failed`.
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
  about: 'Runs every test: unit, HTTP and browser tests.',
  options: { seed: { type: 'string', about: 'repeats the random order of an earlier run' } },
})

await main(async () => {
  const seed = chooseSeed()
  console.log(`The tests run in a random order: npm test -- --seed=${seed} repeats it.`)
  const stopwatch = new Stopwatch()
  await stopwatch.time('set-up', () => setUp('full'))
  const built = (await stopwatch.time('build of the pages', buildWeb)) === 0
  const unit = await stopwatch.time('unit and HTTP tests', () => runVitest(seed))
  const browser = built ? await stopwatch.time('browser tests', () => runPlaywright(seed)) : notBuilt
  stopwatch.print()
  return sayOutcomes(seed, unit, browser)
})
