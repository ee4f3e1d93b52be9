// npm run test:two: the HTTP tests with two server processes on one database behind a round-robin proxy.
import { runVitest, sayOutcomes } from './run-tests.mjs'
import { main, setUp } from './setup.mjs'

await main(async () => {
  await setUp('full')
  process.env['SITE_PROCESSES'] = '2'
  return sayOutcomes(await runVitest(['server']))
})
