// npm run test:media: films of many kinds, imported both ways and played to the end. Ends with one line `N passed, N failed`.
import { readArguments } from './read-arguments.mjs'
import { chooseSeed, runPlaywright, sayOutcomes } from './test-runner/run-tests.mjs'
import { buildWeb, main, setUp } from './setup.mjs'

readArguments({
  name: 'test:media',
  about:
    'Imports films of many kinds by the command line and by the studio, and plays each to the end. MEDIA_FILMS names a folder of films to take instead.',
  options: { seed: { type: 'string', about: 'repeats the random order of an earlier run' } },
})

await main(async () => {
  await setUp('full')
  if ((await buildWeb()) !== 0) throw new Error('The web pages could not be built')
  const seed = chooseSeed()
  return sayOutcomes(seed, await runPlaywright(seed, 'e2e/media/playwright.config.ts'))
})
