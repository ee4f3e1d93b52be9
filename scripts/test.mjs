// npm test: sets up what is missing, builds the pages if they changed, and runs every test. Ends with one line `N passed, N failed`.
import { runPlaywright, runVitest } from './run-tests.mjs'
import { buildWeb, main, setUp } from './setup.mjs'

await main(async () => {
  await setUp('full')
  const built = (await buildWeb()) === 0
  const unit = await runVitest()
  const browser = built ? await runPlaywright() : { passed: 0, failed: 1 }
  if (!built) console.error('The web pages could not be built, so the browser tests did not run.')
  const passed = unit.passed + browser.passed
  const failed = unit.failed + browser.failed
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 || passed === 0 ? 1 : 0
})
