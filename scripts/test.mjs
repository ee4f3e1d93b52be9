// npm test: sets up what is missing, builds the pages if they changed, and runs every test. Ends with one line `N passed, N failed`.
import { runPlaywright, runVitest, sayOutcomes } from './run-tests.mjs'
import { buildWeb, main, setUp } from './setup.mjs'

const notBuilt = {
  passed: 0,
  failures: ['the web pages could not be built, so the browser tests did not run'],
}

await main(async () => {
  await setUp('full')
  const built = (await buildWeb()) === 0
  const unit = await runVitest()
  const browser = built ? await runPlaywright() : notBuilt
  return sayOutcomes(unit, browser)
})
