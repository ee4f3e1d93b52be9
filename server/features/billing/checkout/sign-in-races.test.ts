import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { getOrders } from '#contract/billing.ts'
import { addFavorite, listFavorites, saveHistory } from '#contract/library.ts'
import { getEpisode } from '#contract/media.ts'
import { deleteUser, exportUser, getUser, signIn } from '#contract/members.ts'
import { aggregateFavorites } from '#server/features/library/counts/aggregate-counts.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/** Two sites (processes) on one database, with all features that store personal data. */
let database: TestDatabase
let first: TestSite
let second: TestSite
let video: BuiltVideo
let other: BuiltVideo

beforeAll(async () => {
  database = await createTestDatabase()
  const shared = { ...database, close: async () => {} }
  const settings = { APP_SECRET: 'a secret that both sites of this test share' }
  first = await startTestSite({ database: shared }, settings)
  second = await startTestSite({ database: shared }, settings)
})
afterAll(async () => {
  await second.close()
  await first.close()
  await database.close()
})
beforeEach(async () => {
  video = await buildVideo(first.context)
  other = await buildVideo(first.context)
})

const lockedEpisode = () => video.episodes[4]?.id ?? ''
const addToFavorites = (visitor: Visitor, { id }: BuiltVideo) =>
  visitor.callOk(addFavorite, { body: { video_id: id } })

/** Opens a tab of the visitor's browser at the second site. */
function tabOf(visitor: Visitor): Visitor {
  const tab = second.visitor()
  tab.cookie = visitor.cookie
  return tab
}

/** Creates a guest who followed a referral link and has favorites, history and a purchase. */
async function createActiveGuest() {
  const visitor = first.visitor({ 'x-referrer-token': 'spring' })
  const shopper = await Shopper.create(first, visitor)
  const { id } = await visitor.callOk(getUser)
  await addToFavorites(visitor, video)
  await addToFavorites(visitor, other)
  const at = new Date(Date.now() - 60_000).toISOString()
  const body = { video_id: video.id, episode_id: video.episodes[0]?.id ?? '', position_ms: 5000, at }
  await visitor.callOk(saveHistory, { body })
  const { info } = await shopper.buy({ episode_id: lockedEpisode() })
  return { visitor, id, orderId: info?.id ?? '' }
}

/**
 * Starts calls that wait for the lock of an account. Each call starts as soon as the previous one waits, so they get
 * the lock in this order. Then releases the lock.
 */
async function inTurn(userId: string, ...calls: (() => Promise<Answered>)[]): Promise<Answered[]> {
  const holder = await database.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [userId])
  const answers: Promise<Answered>[] = []
  for (const call of calls) {
    answers.push(call())
    await waitForLock(database.pool, answers.length)
  }
  await holder.query('COMMIT')
  holder.release()
  return Promise.all(answers)
}

interface Answered {
  answer: { code: number; info?: { id?: unknown } | null }
}

/** Prepares a guest's sign-in to an account, and the deletion of this account in another tab. */
async function signInAndDeletion() {
  const member = await registerMember(first)
  const guest = await createActiveGuest()
  const otherTab = tabOf(member.visitor)
  return {
    member,
    guest,
    signingIn: () => guest.visitor.call(signIn, { body: { email: member.email, password } }),
    deleting: () => otherTab.call(deleteUser, { body: { current_password: password } }),
  }
}

const canPlay = async (visitor: Visitor) =>
  (await visitor.call(getEpisode, { query: { episode_id: lockedEpisode() } })).answer.code === 200

async function favoriteCounts(): Promise<number[]> {
  await aggregateFavorites(first.context.db)
  const { rows } = await database.pool.query<{ favorite_count: number }>(
    'SELECT favorite_count FROM videos WHERE id = ANY($1) ORDER BY array_position($1, id)',
    [[video.id, other.id]],
  )
  return rows.map((row) => row.favorite_count)
}

/** Counts a user's rows in each table. */
async function rowsOf(userId: string) {
  const counts: Record<string, number> = {}
  for (const table of ['favorites', 'watch_history', 'plays', 'orders', 'entitlements', 'attribution']) {
    const { rowCount } = await database.pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [userId])
    if (rowCount) counts[table] = rowCount
  }
  return counts
}

test('concurrent sign-ins in two tabs merge favorites, history, purchase and attribution exactly once', async () => {
  const member = await registerMember(first)
  await addToFavorites(member.visitor, video)
  const guest = await createActiveGuest()
  const body = { email: member.email, password }
  const [tab, otherTab] = [guest.visitor, tabOf(guest.visitor)]
  const answers = await inTurn(
    member.user.id,
    () => tab.call(signIn, { body }),
    () => otherTab.call(signIn, { body }),
  )
  expect(answers.map(({ answer }) => answer.info?.id)).toEqual([member.user.id, member.user.id])
  expect(await rowsOf(guest.id)).toEqual({})
  for (const visitor of [tab, otherTab]) {
    const favorites = (await visitor.callOk(listFavorites)).list.map(({ id }) => id)
    expect(favorites.toSorted()).toEqual([video.id, other.id].toSorted())
    expect(await canPlay(visitor)).toBe(true)
    expect(await visitor.callOk(getOrders)).toMatchObject({ list: [{ id: guest.orderId, status: 'paid' }] })
    expect(await visitor.callOk(exportUser)).toMatchObject({
      history: [{ video_id: video.id }],
      recent_plays: [{ video_id: video.id }],
      entitlements: [{ order_id: guest.orderId }],
      attribution: { first_touch: { referrer_token: 'spring' } },
    })
  }
  expect(await favoriteCounts()).toEqual([1, 1])
})

test('concurrent deletions in two tabs delete the account once, and keep its order', async () => {
  const guest = await createActiveGuest()
  const { user, visitor } = await registerMember(first, guest.visitor)
  const tabs = [visitor, tabOf(visitor)] as const
  const body = { current_password: password }
  const answers = await inTurn(
    user.id,
    () => tabs[0].call(deleteUser, { body }),
    () => tabs[1].call(deleteUser, { body }),
  )
  expect(answers.map(({ answer }) => answer.code).toSorted()).toEqual([200, 401])
  expect(await rowsOf(user.id)).toEqual({ orders: 1, entitlements: 1 })
  const { rows } = await database.pool.query(
    `SELECT email, revoked_at IS NOT NULL AS revoked, amount_cents FROM orders
    JOIN entitlements ON entitlements.order_id = orders.id WHERE orders.id = $1`,
    [guest.orderId],
  )
  expect(rows).toEqual([{ email: '', revoked: true, amount_cents: 99 }])
  expect(await favoriteCounts()).toEqual([0, 0])
  const events = "SELECT FROM audit_events WHERE user_id = $1 AND event = 'account_deleted'"
  expect((await database.pool.query(events, [user.id])).rowCount).toBe(1)
  for (const tab of tabs) expect((await tab.callOk(getUser)).role).toBe('visitor')
})

test('deleting an account just after a sign-in also deletes the records of the guest who signed in', async () => {
  const { member, guest, signingIn, deleting } = await signInAndDeletion()
  const [signedIn, deleted] = await inTurn(member.user.id, signingIn, deleting)
  expect([signedIn?.answer.code, deleted?.answer.code]).toEqual([200, 200])
  expect(await rowsOf(member.user.id)).toEqual({ orders: 1, entitlements: 1 })
  expect(await rowsOf(guest.id)).toEqual({})
  expect(await canPlay(guest.visitor)).toBe(false)
  expect(await favoriteCounts()).toEqual([0, 0])
})

test('a sign-in just after the deletion of the account fails, and the guest keeps the records', async () => {
  const { member, guest, signingIn, deleting } = await signInAndDeletion()
  const [deleted, signedIn] = await inTurn(member.user.id, deleting, signingIn)
  expect(deleted?.answer.code).toBe(200)
  expect(signedIn?.answer).toMatchObject({ code: 500, message: expect.stringContaining('password') })
  expect(await rowsOf(member.user.id)).toEqual({})
  expect(await rowsOf(guest.id)).toEqual({
    favorites: 2,
    watch_history: 1,
    plays: 1,
    orders: 1,
    entitlements: 1,
    attribution: 1,
  })
  expect(await canPlay(guest.visitor)).toBe(true)
  expect(await favoriteCounts()).toEqual([1, 1])
})
