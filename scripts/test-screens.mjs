// npm run test:screens: every screen in every language and size, for axe, layout and the keyboard. Ends with one line `N passed, N failed`.
import { chooseSeed, runPlaywright, sayOutcomes } from './run-tests.mjs'
import { buildWeb, main, setUp } from './setup.mjs'

await main(async () => {
  await setUp('full')
  if ((await buildWeb()) !== 0) throw new Error('The web pages could not be built')
  const seed = chooseSeed()
  return sayOutcomes(seed, await runPlaywright(seed, 'e2e/screens/playwright.config.ts'))
})
