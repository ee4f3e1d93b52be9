// npm run test:media: runs the tests that convert films of many kinds. Then imports films by the command line and by
// the studio, and plays them to the end. The last line of the output is `N passed, N failed`.
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runPlaywright, runVitest, sayOutcomes } from './test-runner/run-tests.mjs'
import { buildWeb, main, setUp } from './setup.mjs'

readArguments({
  name: 'test:media',
  about:
    'Runs the tests that convert films of many kinds. Then imports films by the command line and by the studio, and plays each to the end. MEDIA_FILMS names a folder with other films to import.',
  options: { seed: { type: 'string', about: 'repeats the random order of an earlier run' } },
})

await main(async () => {
  await setUp('full')
  if ((await buildWeb()) !== 0) throw new Error('The web pages could not be built')
  const seed = chooseSeed()
  const conversions = await runVitest(seed, ['--project=films'])
  return sayOutcomes(seed, conversions, await runPlaywright(seed, 'e2e/media/playwright.config.ts'))
})
