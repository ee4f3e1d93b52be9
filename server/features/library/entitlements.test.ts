import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import { insertPaidOrder, insertUserRow } from '#server/testing/builders/order-rows.ts'
import { buildVideo, noStorage, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import {
  grantEntitlement,
  loadVideoEntitlements,
  moveEntitlementEnd,
  moveEntitlements,
  noEntitlements,
  presentEntitlement,
  restoreEntitlements,
  revokeEntitlements,
} from './entitlements.ts'

const now = new Date('2026-03-01T12:00:00Z')
const earlier = new Date(now.getTime() - 1)
const later = new Date(now.getTime() + 1)

let database: TestDatabase
let video: BuiltVideo
let userId: string

beforeAll(async () => {
  database = await createTestDatabase()
  video = await buildVideo({ db: database.db, storage: noStorage })
})
afterAll(() => database.close())
beforeEach(() => {
  userId = newId('usr')
})

const first = () => video.episodes[0]?.id ?? ''
const second = () => video.episodes[1]?.id ?? ''

/** Grants the user an entitlement by a new order. By default, it is a purchase of everything from now on. */
function grant(change: Partial<Parameters<typeof grantEntitlement>[1]> = {}): Promise<string> {
  return database.db.transaction().execute(async (tx) => {
    await insertUserRow(tx, userId)
    const orderId = await insertPaidOrder(tx, userId, now)
    const grant = { userId, orderId, source: 'purchase', startsAt: now, ...change } as const
    // Grants twice, because both the webhook and the buyer's own call settle a payment.
    await grantEntitlement(tx, grant)
    await grantEntitlement(tx, grant)
    return orderId
  })
}

const rights = (at = now) => loadVideoEntitlements(database.db, userId, video.id, at)
const covers = async (episodeId: string, at = now) => (await rights(at)).covers(episodeId)
const change = (work: Parameters<ReturnType<TestDatabase['db']['transaction']>['execute']>[0]) =>
  database.db.transaction().execute(work)

describe('the entitlements of a video', () => {
  test('cover nothing if the user has none', async () => {
    expect(await covers(first())).toBe(false)
    expect((await rights()).entitlementFor(first())).toBeUndefined()
    expect(noEntitlements.covers(first())).toBe(false)
    expect(noEntitlements.entitlementFor(first())).toBeUndefined()
  })

  test('to one episode cover no other episode', async () => {
    await grant({ videoId: video.id, episodeId: first() })
    expect(await covers(first())).toBe(true)
    expect(await covers(second())).toBe(false)
  })

  test('to a video cover its episodes and no other video', async () => {
    const other = await buildVideo({ db: database.db, storage: noStorage })
    await grant({ videoId: other.id })
    expect(await covers(first())).toBe(false)
    await grant({ videoId: video.id })
    expect([await covers(first()), await covers(second())]).toEqual([true, true])
  })

  test('to everything cover every episode', async () => {
    await grant({ source: 'subscription' })
    expect([await covers(first()), await covers(second())]).toEqual([true, true])
  })

  test('belong to one user', async () => {
    await grant()
    userId = newId('usr')
    expect(await covers(first())).toBe(false)
  })

  test('apply from their start until just before their end', async () => {
    await grant({ startsAt: now, endsAt: later })
    expect(await covers(first(), earlier)).toBe(false)
    expect(await covers(first(), now)).toBe(true)
    expect(await covers(first(), later)).toBe(false)
  })

  test('return the purchase for an episode that a subscription also covers, whichever was created first', async () => {
    await grant({ source: 'subscription' })
    expect((await rights()).entitlementFor(first())?.source).toBe('subscription')
    const orderId = await grant({ videoId: video.id, episodeId: first() })
    await grant({ source: 'subscription' })
    expect((await rights()).entitlementFor(first())).toMatchObject({ source: 'purchase', order_id: orderId })
    expect((await rights()).entitlementFor(second())?.source).toBe('subscription')
    const all = await grant()
    expect((await rights()).entitlementFor(second())).toMatchObject({ source: 'purchase', order_id: all })
  })
})

test('an order grants each item once', async () => {
  await grant()
  const rows = database.db.selectFrom('entitlements').select('id').where('user_id', '=', userId)
  expect(await rows.execute()).toEqual([{ id: expect.stringMatching(/^ent_/) }])
})

test('the end of a subscription can be moved, but not the end of a purchase', async () => {
  const subscribed = await grant({ source: 'subscription', endsAt: now })
  const bought = await grant({ videoId: video.id, endsAt: now })
  await change((tx) => moveEntitlementEnd(tx, bought, later))
  expect(await covers(first())).toBe(false)
  await change((tx) => moveEntitlementEnd(tx, subscribed, later))
  expect(await covers(first())).toBe(true)
})

test('a refund revokes only the entitlements of its order, and these can be restored', async () => {
  const refunded = await grant({ videoId: video.id, episodeId: first() })
  await grant({ videoId: video.id, episodeId: second() })
  await change((tx) => revokeEntitlements(tx, refunded, now))
  expect([await covers(first()), await covers(second())]).toEqual([false, true])
  await change((tx) => restoreEntitlements(tx, refunded))
  expect(await covers(first())).toBe(true)
})

test('the entitlements of an order can be moved to another user', async () => {
  const moved = await grant({ videoId: video.id, episodeId: first() })
  await grant({ videoId: video.id, episodeId: second() })
  const other = newId('usr')
  await change(async (tx) => {
    await insertUserRow(tx, other)
    await moveEntitlements(tx, [moved], other)
  })
  expect([await covers(first()), await covers(second())]).toEqual([false, true])
  userId = other
  expect([await covers(first()), await covers(second())]).toEqual([true, false])
})

test('an entitlement is shown with its item and its period', async () => {
  const row = {
    id: 'ent_1',
    user_id: userId,
    order_id: null,
    source: 'purchase',
    video_id: null,
    episode_id: null,
    starts_at: now,
    ends_at: null,
  } as const
  const shown = { id: 'ent_1', source: 'purchase', starts_at: '2026-03-01T12:00:00.000Z' }
  expect(presentEntitlement(row)).toEqual(shown)
  expect(presentEntitlement({ ...row, video_id: 'vid_1', episode_id: 'ep_1', ends_at: later })).toEqual({
    ...shown,
    video_id: 'vid_1',
    episode_id: 'ep_1',
    ends_at: '2026-03-01T12:00:00.001Z',
  })
})
