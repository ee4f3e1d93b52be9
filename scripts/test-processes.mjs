// npm run test:processes: runs the tests that start, stop or kill processes of the site, its commands or its database,
// or make a database, mail server or object store unavailable. The last line of the output is `N passed, N failed`.
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runVitest, sayOutcomes } from './test-runner/run-tests.mjs'
import { main, setUp } from './setup.mjs'

readArguments({
  name: 'test:processes',
  about:
    'Runs the tests that start, stop or kill processes, or make a database, mail server or object store unavailable.',
  options: { seed: { type: 'string', about: 'repeats the random order of an earlier run' } },
})

await main(async () => {
  await setUp('full')
  const seed = chooseSeed()
  return sayOutcomes(seed, await runVitest(seed, ['--project=processes']))
})
