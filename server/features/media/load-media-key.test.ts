import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { formatMediaLink, type MediaLink } from '#server/testing/media/media-links.ts'
import { buyEpisode, startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { requestPlayback } from '#server/testing/builders/viewers-by-entitlement.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let site: BillingSite
let buyer: Visitor
let link: MediaLink

beforeAll(async () => {
  site = await startBillingSite()
  buyer = (await buyEpisode(site)).shopper.visitor
  const issued = (await requestPlayback(site, buyer, 4)).link
  if (!issued) throw new Error('nothing was issued')
  link = issued
})
afterAll(() => site.close())

const fetchKey = () => buyer.fetch(formatMediaLink(link, 'key'))

test('an asset that is not encrypted has no key', async () => {
  expect((await fetchKey()).status).toBe(404)
})

test('an encrypted key that cannot be decrypted is logged with the asset and without the signature', async () => {
  const { db, mediaKeys, log } = site.context
  const media_key = mediaKeys.encrypt('ast_another', mediaKeys.generate())
  await db.updateTable('assets').set({ media_key }).where('id', '=', link.asset).execute()
  const logged = vi.spyOn(log, 'error').mockImplementation(() => {})
  expect((await fetchKey()).status).toBe(500)
  expect(logged.mock.calls).toMatchObject([[{ path: `/media/…/${link.asset}/key` }, 'a call failed']])
  logged.mockRestore()
})

test('the key has sixteen bytes, is never cached, and is not served by links of a replaced asset', async () => {
  const { db, mediaKeys } = site.context
  const key = mediaKeys.generate()
  const media_key = mediaKeys.encrypt(link.asset, key)
  await db.updateTable('assets').set({ media_key }).where('id', '=', link.asset).execute()
  const answer = await fetchKey()
  expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(key)
  await db.updateTable('episodes').set({ asset_id: null }).where('asset_id', '=', link.asset).execute()
  expect((await fetchKey()).status).toBe(410)
})
