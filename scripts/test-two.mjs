// npm run test:two: runs the HTTP tests against two server processes with one database, behind a round-robin proxy.
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runVitest, sayOutcomes } from './test-runner/run-tests.mjs'
import { main, setUp } from './setup.mjs'

readArguments({
  name: 'test:two',
  about: 'Runs the HTTP tests with two server processes on one database.',
  options: { seed: { type: 'string', about: 'repeats the random order of an earlier run' } },
})

await main(async () => {
  await setUp('full')
  process.env['SITE_PROCESSES'] = '2'
  const seed = chooseSeed()
  return sayOutcomes(seed, await runVitest(seed, ['server']))
})
