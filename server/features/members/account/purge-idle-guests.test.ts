import { afterAll, beforeAll, expect, test } from 'vitest'
import { addFavorite, saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { dayMs } from '#server/platform/clock.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { insertPaidOrder } from '#server/testing/builders/order-rows.ts'
import { registerMember } from '#server/testing/builders/register-member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { purgeIdleGuests } from './purge-idle-guests.ts'

const start = new Date('2026-03-01T12:00:00Z')
const time = { now: start }
let site: TestSite
let video: BuiltVideo
beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => time.now } })
  video = await buildVideo(site.context)
})
afterAll(() => site.close())

const passDays = (days: number) => (time.now = new Date(start.getTime() + days * dayMs))
const purge = () => purgeIdleGuests(site.context, new AbortController().signal)

async function guestWithFavorite(): Promise<{ visitor: Visitor; id: string }> {
  const visitor = site.visitor()
  const { id } = await visitor.callOk(getUser)
  await visitor.callOk(addFavorite, { body: { video_id: video.id } })
  return { visitor, id }
}

/** Returns whether a user has a row, and the user's number of favorites. */
async function storedOf(id: string): Promise<[boolean, number]> {
  const { db } = site.context
  const users = await db.selectFrom('users').select('id').where('id', '=', id).execute()
  const favorites = await db.selectFrom('favorites').select('video_id').where('user_id', '=', id).execute()
  return [users.length > 0, favorites.length]
}

test('the purge deletes guests who are inactive for 400 days and have bought nothing, but no members', async () => {
  passDays(0)
  // The number of guests is higher than the size of a batch.
  const away = []
  for (let i = 0; i < 25; i++) away.push(await guestWithFavorite())
  const [buyer, viewer] = [await guestWithFavorite(), await guestWithFavorite()]
  const { user: member } = await registerMember(site)
  await site.context.db.transaction().execute((tx) => insertPaidOrder(tx, buyer.id, time.now))
  passDays(300)
  const position = { video_id: video.id, episode_id: video.episodes[0]?.id ?? '', position_ms: 1000 }
  await viewer.visitor.callOk(saveHistory, { body: { ...position, at: time.now.toISOString() } })

  passDays(399)
  await purge()
  for (const { id } of away) expect(await storedOf(id)).toEqual([true, 1])

  passDays(401)
  await purge()
  for (const { id } of away) expect(await storedOf(id)).toEqual([false, 0])
  expect(await storedOf(buyer.id)).toEqual([true, 1])
  expect(await storedOf(viewer.id)).toEqual([true, 1])
  expect(await storedOf(member.id)).toEqual([true, 0])

  passDays(701)
  await purge()
  expect(await storedOf(viewer.id)).toEqual([false, 0])
  expect(await storedOf(buyer.id)).toEqual([true, 1])
})
