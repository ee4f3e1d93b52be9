// npm run test:two: the HTTP tests with two server processes on one database behind a round-robin proxy.
import { runVitest } from './run-tests.mjs'
import { main, setUp } from './setup.mjs'

await main(async () => {
  await setUp('full')
  process.env['SITE_PROCESSES'] = '2'
  const { passed, failed } = await runVitest(['server'])
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 || passed === 0 ? 1 : 0
})
