import { afterAll, beforeAll, expect, test } from 'vitest'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { createContext, type Context } from '#server/context.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { recordSiteAddress } from './site-address.ts'

let site: TestSite
/** The context of a command. Its environment has another PORT than the site's, and no PUBLIC_URL. */
let secondProcess: Context

beforeAll(async () => {
  site = await startTestSite()
  const { config, log, database } = site.context
  const own = { ...config, publicUrl: 'http://localhost:3999', isPublicUrlSet: false }
  secondProcess = await createContext(own, log, {
    // This context must not close the database, which the site still uses.
    database: { ...database, close: async () => {} },
  })
})
afterAll(async () => {
  await secondProcess.close()
  await site.close()
})

const add = (context: Context, email: string) => runStudioCommand(context, ['operator', 'add', email])

test('a command with another PORT links to the address at which the site was started, and says so', async () => {
  expect(await add(secondProcess, 'early@example.com')).toMatch(
    /link: http:\/\/localhost:3999\/studio[^]*No site has been started here yet[^]*PUBLIC_URL=/,
  )
  await recordSiteAddress(site.context)
  expect(await add(secondProcess, 'beside@example.com')).toMatch(
    /link: http:\/\/localhost:3000\/studio[^]*last started at http:\/\/localhost:3000\. Put PUBLIC_URL=/,
  )
})

test('a command that has a PUBLIC_URL links to that address', async () => {
  const otherSite = {
    ...secondProcess,
    config: { ...site.context.config, publicUrl: 'https://drama.example' },
  }
  expect(await add(otherSite, 'told@example.com')).toMatch(
    /link: https:\/\/drama\.example\/studio(?![^]*PUBLIC_URL)/,
  )
})
