// npm run test:screens: checks every screen in every language and size for accessibility (axe), layout and keyboard
// use, and runs the browser tests that `npm test` leaves out. The last line of the output is `N passed, N failed`.
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runPlaywright, sayOutcomes } from './test-runner/run-tests.mjs'
import { buildWeb, main, setUp } from './setup.mjs'

readArguments({
  name: 'test:screens',
  about:
    'Tests every screen in every language and size, and runs the browser tests that npm test leaves out.',
  options: { seed: { type: 'string', about: 'repeats the random order of an earlier run' } },
})

await main(async () => {
  await setUp('full')
  if ((await buildWeb()) !== 0) throw new Error('The web pages could not be built')
  const seed = chooseSeed()
  return sayOutcomes(seed, await runPlaywright(seed, 'e2e/screens/playwright.config.ts'))
})
