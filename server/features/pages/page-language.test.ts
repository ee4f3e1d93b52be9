import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeUser, getUser } from '#contract/members.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

const pageOf = async (path: string, acceptLanguage: string) => {
  const response = await site.visitor({ 'accept-language': acceptLanguage }).fetch(path)
  return response.text()
}

it('a page has a standard language code as `lang`', async () => {
  expect(await pageOf('/', 'fr-FR,fr;q=0.9')).toContain('<html lang="fr"')
  expect(await pageOf('/', 'ja')).toContain('<html lang="en"')
})

it('an address with `?lang=` gets the page in that language, whatever the browser prefers', async () => {
  expect(await pageOf('/?lang=de', 'es')).toContain('<html lang="de"')
  expect(await pageOf('/order/easy?lang=dy', 'es')).toContain('<html lang="de"')
  expect(await pageOf('/no-such-page?lang=pt', 'es')).toContain('<html lang="pt"')
  expect(await pageOf('/?lang=ja', 'es')).toContain('<html lang="es"')
})

it("a page is in the user's stored language if neither address nor browser names a language", async () => {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  await visitor.callOk(changeUser, { body: { language: 'pt' } })
  const page = async (path: string, headers = {}) => (await visitor.fetch(path, { headers })).text()
  const video = await buildVideo(site.context)
  for (const path of ['/', '/order/easy', '/no-such-page', `/videos/${video.id}`])
    expect(await page(path)).toContain('<html lang="pt"')
  expect(await page('/', { 'accept-language': 'de' })).toContain('<html lang="de"')
  expect(await page('/?lang=fr')).toContain('<html lang="fr"')
})

it('a page is in English if the user cannot be looked up', async () => {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  await visitor.callOk(changeUser, { body: { language: 'pt' } })
  const { pool } = site.context.database
  await pool.query('ALTER TABLE users RENAME COLUMN language TO tongue')
  const response = await visitor.fetch('/my')
  await pool.query('ALTER TABLE users RENAME COLUMN tongue TO language')
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('<html lang="en"')
})

it('the first screen of a video is in the language of the address', async () => {
  const video = await buildVideo(site.context)
  expect(await pageOf(`/videos/${video.id}?lang=fr`, 'es')).toContain('"language":"fy"')
})
