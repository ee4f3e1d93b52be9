// npm run test:two: the HTTP tests with two server processes on one database behind a round-robin proxy.
import { chooseSeed, runVitest, sayOutcomes } from './run-tests.mjs'
import { main, setUp } from './setup.mjs'

await main(async () => {
  await setUp('full')
  process.env['SITE_PROCESSES'] = '2'
  const seed = chooseSeed()
  return sayOutcomes(seed, await runVitest(seed, ['server']))
})
