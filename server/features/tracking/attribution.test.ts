import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOrder } from '#contract/billing.ts'
import {
  changeUser,
  deleteUser,
  exportUser,
  getUser,
  registerUser,
  signIn,
  signOut,
} from '#contract/members.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { readExportParts } from '#server/testing/read-export-parts.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { setConsent, trackedVisitor } from '#server/testing/site/tracked-visitor.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { eraseTracking, exportTracking, mergeTracking, recordTouch, withdrawConsent } from './tracking.ts'

let site: TestSite
let video: BuiltVideo
beforeAll(async () => {
  site = await startTestSite()
  video = await buildVideo(site.context)
})
afterAll(() => site.close())

interface Ids {
  token?: string
  fbclid?: string
  ttclid?: string
}

/** Records a visit with these ids. */
function visit(userId: string, clickIds: Ids, at = new Date()) {
  return site.context.db
    .transaction()
    .execute((tx) => recordTouch(site.context, tx, userId, ids(clickIds), at))
}

function ids({ token, fbclid, ttclid }: Ids) {
  return { referrerToken: token, fbclid, ttclid }
}

async function findAttribution(userId: string) {
  const row = await site.context.db
    .selectFrom('attribution')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && { first: row.first_touch, last: row.last_touch }
}

async function attributionOf(orderId: string | undefined) {
  const { attribution } = await site.context.db
    .selectFrom('orders')
    .select('attribution')
    .where('id', '=', orderId ?? '')
    .executeTakeFirstOrThrow()
  return attribution
}

/** Orders a locked episode. */
async function order(visitor: Visitor, headers: Record<string, string>, body: Ids = {}) {
  const orderParams = {
    kind: 'episode' as const,
    episode_id: video.episodes[4]?.id,
    gateway: 'sandbox' as const,
  }
  const { fbclid, ttclid } = body
  const clickIds = { ...(fbclid ? { fbclid } : {}), ...(ttclid ? { ttclid } : {}) }
  const { answer } = await visitor.call(createOrder, {
    body: { ...orderParams, email: 'viewer@example.com', ...clickIds },
    headers,
  })
  return attributionOf(answer.info?.id)
}

const codeOf = async (userId: string) => {
  const row = await site.context.db
    .selectFrom('users')
    .select('referral_code')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return row.referral_code
}

describe('touches', () => {
  test('replace the last touch but not the first one, and change nothing if they are repeated or empty', async () => {
    const { userId } = await trackedVisitor(site, true)
    const times = [1, 2, 3, 4].map((hour) => new Date(Date.UTC(2026, 0, 1, hour)))
    await visit(userId, { token: 'spring' }, times[0])
    await visit(userId, { token: 'summer', fbclid: 'fb2' }, times[1])
    await visit(userId, { token: 'summer', fbclid: 'fb2' }, times[2])
    await visit(userId, {}, times[3])
    const row = await site.context.db
      .selectFrom('attribution')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirst()
    expect(row).toMatchObject({
      first_touch: { referrer_token: 'spring' },
      first_at: times[0],
      last_touch: { referrer_token: 'summer', fbclid: 'fb2' },
      last_at: times[1],
    })
  })

  test.each([false, null])('have only the token if the user has not consented (%s)', async (answer) => {
    const { userId } = await trackedVisitor(site, answer)
    await visit(userId, { fbclid: 'fb1', ttclid: 'tt1' })
    expect(await findAttribution(userId)).toBeUndefined()
    await visit(userId, { token: 'spring', fbclid: 'fb1', ttclid: 'tt1' })
    expect(await findAttribution(userId)).toEqual({
      first: { referrer_token: 'spring' },
      last: { referrer_token: 'spring' },
    })
  })

  test('get their click ids if the user follows the link again after consenting', async () => {
    const { userId } = await trackedVisitor(site, null)
    await visit(userId, { token: 'spring', fbclid: 'fb1' })
    await setConsent(site, userId, true)
    await visit(userId, { token: 'spring', fbclid: 'fb1' })
    const touch = { referrer_token: 'spring', fbclid: 'fb1' }
    expect(await findAttribution(userId)).toEqual({ first: touch, last: touch })
  })

  test('lose their click ids when consent is withdrawn', async () => {
    const [one, two] = [await trackedVisitor(site, true), await trackedVisitor(site, true)]
    await visit(one.userId, { token: 'spring', fbclid: 'fb1' })
    await visit(two.userId, { ttclid: 'tt1' })
    for (const { userId } of [one, two])
      await site.context.db.transaction().execute((tx) => withdrawConsent(site.context, tx, userId))
    expect(await findAttribution(one.userId)).toEqual({
      first: { referrer_token: 'spring' },
      last: { referrer_token: 'spring' },
    })
    expect(await findAttribution(two.userId)).toBeUndefined()
  })

  test('do not contain the user’s own referral code', async () => {
    const { userId } = await trackedVisitor(site, true)
    const own = await codeOf(userId)
    await visit(userId, { token: own })
    expect(await findAttribution(userId)).toBeUndefined()
    await visit(userId, { token: own, ttclid: 'tt1' })
    expect(await findAttribution(userId)).toEqual({ first: { ttclid: 'tt1' }, last: { ttclid: 'tt1' } })
  })

  test('are stored in one row even if a user’s first calls are concurrent', async () => {
    const { userId } = await trackedVisitor(site, true)
    await Promise.all(['a', 'b', 'c', 'd'].map((token) => visit(userId, { token })))
    const rows = await site.context.db
      .selectFrom('attribution')
      .selectAll()
      .where('user_id', '=', userId)
      .execute()
    expect(rows).toHaveLength(1)
  })
})

describe('a withdrawal of consent', () => {
  const clicked = { token: 'spring', fbclid: 'fb1' }
  const token = { referrer_token: 'spring' }

  test('also deletes the click ids of a touch that is being stored', async () => {
    const { visitor, userId } = await trackedVisitor(site, true)
    const recorded = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const keeping = site.context.db.transaction().execute(async (tx) => {
      await recordTouch(site.context, tx, userId, ids(clicked), new Date())
      recorded.resolve()
      await goOn.promise
    })
    await recorded.promise
    const takenBack = visitor.callOk(changeUser, { body: { consent: { marketing: false } } })
    await Promise.race([takenBack, waitForLock(site.context.database.pool)])
    goOn.resolve()
    await Promise.all([keeping, takenBack])
    expect(await findAttribution(userId)).toEqual({ first: token, last: token })
  })

  test('delays a concurrent touch, which is then stored without its click ids', async () => {
    const { pool } = site.context.database
    const { userId } = await trackedVisitor(site, true)
    const other = await pool.connect()
    await other.query('BEGIN')
    await other.query('UPDATE users SET consent_marketing = false WHERE id = $1', [userId])
    const keeping = visit(userId, clicked)
    await Promise.race([keeping, waitForLock(pool)])
    await other.query('COMMIT')
    other.release()
    await keeping
    expect(await findAttribution(userId)).toEqual({ first: token, last: token })
  })
})

test('concurrent calls of one user with different click ids all succeed', async () => {
  const { visitor, userId } = await trackedVisitor(site, true)
  const change = (fbclid: string) =>
    visitor.callOk(changeUser, { body: { display_name: fbclid }, headers: { 'x-fbclid': fbclid } })
  await Promise.all(Array.from({ length: 8 }, (_, click) => change(`fb${click}`)))
  expect((await findAttribution(userId))?.last).toEqual({ fbclid: expect.stringMatching(/^fb\d$/) })
})

describe('an order', () => {
  const headers = { 'x-referrer-token': 'spring', 'x-fbclid': 'fb1', 'user-agent': 'Phone/1' }

  test('of a guest without a row has the token but no click ids', async () => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser)
    expect(await order(visitor, headers, { ttclid: 'tt1' })).toEqual({ referrer_token: 'spring' })
    expect(await findAttribution(id)).toEqual({
      first: { referrer_token: 'spring' },
      last: { referrer_token: 'spring' },
    })
  })

  test('with consent has the click ids of header and body, and the user agent', async () => {
    const { visitor } = await trackedVisitor(site, true)
    expect(await order(visitor, headers, { ttclid: 'tt1' })).toEqual({
      referrer_token: 'spring',
      fbclid: 'fb1',
      ttclid: 'tt1',
      user_agent: 'Phone/1',
    })
  })

  test('has the last touch, and the first touch if it differs', async () => {
    const { visitor, userId } = await trackedVisitor(site, false)
    const at = new Date('2026-01-02T03:04:05.000Z')
    await visit(userId, { token: 'winter' }, at)
    expect(await order(visitor, headers)).toEqual({
      referrer_token: 'spring',
      first: { referrer_token: 'winter', at: at.toISOString() },
    })
  })

  test('loses the click ids and the user agent when consent is withdrawn, but keeps the token and the e-mail', async () => {
    const { visitor, userId } = await trackedVisitor(site, true)
    const at = new Date('2026-01-02T03:04:05.000Z')
    await visit(userId, { token: 'winter', fbclid: 'fb0', ttclid: 'tt0' }, at)
    expect(await order(visitor, headers)).toMatchObject({ fbclid: 'fb1', first: { fbclid: 'fb0' } })
    await visitor.callOk(changeUser, { body: { consent: { marketing: false } } })
    const orders = await site.context.db
      .selectFrom('orders')
      .select(['attribution', 'email'])
      .where('user_id', '=', userId)
      .execute()
    const first = { referrer_token: 'winter', at: at.toISOString() }
    expect(orders).toEqual([
      { attribution: { referrer_token: 'spring', first }, email: 'viewer@example.com' },
    ])
  })

  test('loses the click ids and the user agent when its guest signs in to an account without consent', async () => {
    const { visitor } = await trackedVisitor(site, true)
    const account = { email: 'said.no@example.com', password: 'a long enough password 7' }
    const member = site.visitor()
    await member.callOk(registerUser, { body: { ...account, repeat_password: account.password } })
    const { id } = await member.callOk(changeUser, { body: { consent: { marketing: false } } })
    expect(await order(visitor, headers)).toMatchObject({ fbclid: 'fb1', user_agent: 'Phone/1' })
    await visitor.callOk(signIn, { body: account })
    const orders = await site.context.db
      .selectFrom('orders')
      .select('attribution')
      .where('user_id', '=', id)
      .execute()
    expect(orders).toEqual([{ attribution: { referrer_token: 'spring' } }])
  })

  test('gets the stored token if its call has no ids, but gets no stored click ids without consent', async () => {
    const { visitor, userId } = await trackedVisitor(site, true)
    await visit(userId, { token: 'spring', fbclid: 'fb1' })
    await setConsent(site, userId, false)
    expect(await order(visitor, {})).toEqual({ referrer_token: 'spring' })
  })

  test('names the member whose referral code was used, unless that member is the buyer', async () => {
    const friend = await trackedVisitor(site, null)
    const { visitor, userId } = await trackedVisitor(site, null)
    const code = await codeOf(friend.userId)
    expect(await order(visitor, { 'x-referrer-token': code })).toEqual({
      referrer_token: code,
      referrer_user_id: friend.userId,
    })
    const own = site.visitor()
    await own.callOk(getUser)
    const guest = await order(own, { 'x-referrer-token': await codeOf(userId) })
    expect(guest).toMatchObject({ referrer_user_id: userId })
    expect(await order(visitor, { 'x-referrer-token': await codeOf(userId) })).toMatchObject({
      referrer_token: code,
    })
  })

  test('ignores ids longer than 512 characters', async () => {
    const { visitor } = await trackedVisitor(site, true)
    const long = 'x'.repeat(513)
    const attribution = await order(visitor, { 'x-referrer-token': long, 'x-fbclid': long }, { ttclid: long })
    expect(Object.keys(attribution)).toEqual(['user_agent'])
  })
})

describe('a sign-in', () => {
  const merge = (guest: string, member: string) =>
    site.context.db.transaction().execute((tx) => mergeTracking(site.context, tx, guest, member))
  const [early, middle, late] = [1, 2, 3].map((hour) => new Date(Date.UTC(2026, 0, 1, hour)))

  test('keeps the earlier first touch and the later last touch, even if the sign-in is repeated', async () => {
    const [guest, member] = [await trackedVisitor(site, true), await trackedVisitor(site, true)]
    await visit(member.userId, { token: 'b' }, middle)
    await visit(guest.userId, { token: 'a' }, early)
    await visit(guest.userId, { token: 'c', fbclid: 'fb' }, late)
    await merge(guest.userId, member.userId)
    await merge(guest.userId, member.userId)
    expect(await findAttribution(member.userId)).toEqual({
      first: { referrer_token: 'a' },
      last: { referrer_token: 'c', fbclid: 'fb' },
    })
    expect(await findAttribution(guest.userId)).toBeUndefined()
  })

  test('keeps the member’s touches if they are the earliest and the latest', async () => {
    const [guest, member] = [await trackedVisitor(site, true), await trackedVisitor(site, true)]
    await visit(guest.userId, { token: 'b' }, middle)
    await visit(member.userId, { token: 'a' }, early)
    await visit(member.userId, { token: 'c' }, late)
    await merge(guest.userId, member.userId)
    expect(await findAttribution(member.userId)).toEqual({
      first: { referrer_token: 'a' },
      last: { referrer_token: 'c' },
    })
  })

  test('moves no click ids to a member without consent, even if the guest had consented', async () => {
    const [guest, member] = [await trackedVisitor(site, true), await trackedVisitor(site, false)]
    await visit(guest.userId, { token: 'a', fbclid: 'fb' })
    await merge(guest.userId, member.userId)
    expect(await findAttribution(member.userId)).toEqual({
      first: { referrer_token: 'a' },
      last: { referrer_token: 'a' },
    })
  })
})

describe('over HTTP', () => {
  const headers = { 'x-referrer-token': 'spring', 'x-fbclid': 'fb1' }
  const token = { referrer_token: 'spring' }
  const clicked = { ...token, fbclid: 'fb1' }
  const password = 'a long enough password 7'
  const account = () => ({
    email: `${Math.random().toString(36).slice(2)}@example.com`,
    password,
    repeat_password: password,
  })

  async function guest() {
    const visitor = site.visitor(headers)
    const { id } = await visitor.callOk(getUser)
    return { visitor, id }
  }

  test("a call that creates a guest's row stores the touch, and a call that only reads does not", async () => {
    const { visitor, id } = await guest()
    expect(await findAttribution(id)).toBeUndefined()
    await visitor.callOk(changeUser, { body: { language: 'fy' } })
    expect(await findAttribution(id)).toEqual({ first: token, last: token })
  })

  const referredBy = (by: string) => ({ headers: { 'x-referrer-token': by } })
  const springThenSummer = { first: token, last: { referrer_token: 'summer' } }

  test('a guest’s first link is the first touch, even if another link follows before the row is created', async () => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser, referredBy('spring'))
    await visitor.callOk(getUser, referredBy('summer'))
    await visitor.callOk(changeUser, { body: { language: 'fy' }, ...referredBy('summer') })
    expect(await findAttribution(id)).toEqual(springThenSummer)
  })

  test('a guest’s first link is the first touch, even if the first call had no link', async () => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser)
    for (const link of ['spring', 'summer']) await visitor.callOk(getUser, referredBy(link))
    expect(await order(visitor, { 'x-referrer-token': 'summer' })).toMatchObject({
      referrer_token: 'summer',
      first: { referrer_token: 'spring' },
    })
    expect(await findAttribution(id)).toEqual(springThenSummer)
  })

  test('a guest’s first link is the first touch when the guest registers with cookies disabled', async () => {
    const ask = async (by: string, known: string | null) => {
      const { headers, answer } = await site
        .visitor(known === null ? {} : { 'x-user-token': known })
        .call(getUser, referredBy(by))
      return { id: answer.info?.id ?? '', userToken: headers.get('x-user-token') ?? '' }
    }
    const { id, userToken } = await ask('spring', null)
    const later = await ask('summer', userToken)
    const visitor = site.visitor({ 'x-user-token': later.userToken })
    await visitor.callOk(registerUser, { body: account(), ...referredBy('summer') })
    expect(await findAttribution(id)).toEqual(springThenSummer)
  })

  test('after a sign-out, the new guest does not have the link of the previous guest', async () => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    await visitor.callOk(getUser, referredBy('spring'))
    const { id } = await visitor.callOk(signOut)
    await visitor.callOk(changeUser, { body: { language: 'fy' }, ...referredBy('summer') })
    expect(await findAttribution(id)).toEqual({
      first: { referrer_token: 'summer' },
      last: { referrer_token: 'summer' },
    })
  })

  test.each([
    ['Fr%C3%BChling%20100%25', 'Frühling 100%', 'is decoded if it is percent-encoded'],
    ['100%', '100%', 'is unchanged if it is not percent-encoded'],
    ['spring%00', undefined, 'is ignored if it contains a NUL'],
  ])('the token %s becomes %s: it %s', async (sent, code, _why) => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser, referredBy(sent))
    expect(await order(visitor, { 'x-referrer-token': sent })).toEqual(code ? { referrer_token: code } : {})
    expect((await findAttribution(id))?.last).toEqual(code && { referrer_token: code })
  })

  test('marketing consent adds the click ids at once, and a withdrawal deletes them at once', async () => {
    const { visitor, id } = await guest()
    await visitor.callOk(changeUser, { body: { consent: { marketing: true } } })
    expect(await findAttribution(id)).toEqual({ first: clicked, last: clicked })
    await visitor.callOk(changeUser, { body: { consent: { marketing: false } } })
    expect(await findAttribution(id)).toEqual({ first: token, last: token })
  })

  test('a registration stores a touch, a sign-in moves it, and a deletion of the account erases it', async () => {
    const [registering, later] = [await guest(), await guest()]
    const registration = account()
    await registering.visitor.callOk(registerUser, { body: registration })
    expect(await findAttribution(registering.id)).toEqual({ first: token, last: token })
    const summer = { 'x-referrer-token': 'summer' }
    await later.visitor.callOk(changeUser, { body: { language: 'en' }, headers: summer })
    await later.visitor.callOk(signIn, { body: { email: registration.email, password }, headers: summer })
    expect(await findAttribution(registering.id)).toEqual({
      first: token,
      last: { referrer_token: 'summer' },
    })
    expect(await findAttribution(later.id)).toBeUndefined()
    const exported = await later.visitor.callOk(exportUser)
    expect(exported).toMatchObject({ attribution: { first_touch: token } })
    await later.visitor.callOk(deleteUser, { body: { current_password: password } })
    expect(await findAttribution(registering.id)).toBeUndefined()
  })
})

test('an export has the stored touches, and a deletion erases them', async () => {
  const { userId } = await trackedVisitor(site, true)
  await visit(userId, { token: 'spring', ttclid: 'tt1' })
  expect(await readExportParts(exportTracking(site.context.db, userId))).toMatchObject({
    attribution: { first_touch: { referrer_token: 'spring', ttclid: 'tt1' } },
  })
  await site.context.db.transaction().execute((tx) => eraseTracking(tx, userId))
  expect(await findAttribution(userId)).toBeUndefined()
})
