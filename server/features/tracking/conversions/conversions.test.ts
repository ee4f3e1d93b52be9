import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Order } from '#contract/billing.ts'
import { changeUser, getUser, registerUser } from '#contract/members.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { openPostSink, type PostSink, type Reply } from '#server/testing/fakes/post-sink.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import type { Tx } from '#server/tables.ts'
import { setConsent } from '#server/testing/site/tracked-visitor.ts'
import { deleteConversions, lockConversionSending } from './conversion-queries.ts'
import { sendConversions } from './send-conversions.ts'
import {
  eraseTracking,
  mergeTracking,
  queueRegistrationConversion,
  withdrawConsent,
} from '#server/features/tracking/tracking.ts'

let site: BillingSite
let sink: PostSink
beforeAll(async () => {
  sink = await openPostSink()
  site = await startBillingSite({
    META_ACCESS_TOKEN: 'meta-key',
    META_API_BASE: sink.url,
    TIKTOK_ACCESS_TOKEN: 'tiktok-key',
    TIKTOK_API_BASE: sink.url,
  })
})
afterAll(async () => {
  await site.close()
  await sink.close()
})

const pixels = { facebook_pixel_id: '123', tiktok_pixel: 'TT9' }
beforeEach(async () => {
  await setPixels(site, pixels)
  sink.reply = ({ path }) => ({
    status: 200,
    body: path.includes('open_api') ? { code: 0 } : { events_received: 1 },
  })
})
afterEach(async () => {
  sink.posts.length = 0
  await site.context.db.deleteFrom('conversions').execute()
})

const minutes = (count: number) => count * 60_000
const send = (timeoutMs = 60_000) => sendConversions({ ...site.context, conversionTimeoutMs: timeoutMs })
const conversions = () =>
  site.context.db.selectFrom('conversions').selectAll().orderBy('destination').orderBy('event_id').execute()
const onlyMeta = () => setPixels(site, { facebook_pixel_id: '123' })
const headers = { 'x-fbclid': 'fb1', 'x-ttclid': 'tt1', 'user-agent': 'Phone/1' }

/** Sets the pixel ids. A platform without a pixel id gets no conversions. */
async function setPixels({ context }: BillingSite, settings: Record<string, string>): Promise<void> {
  const value = JSON.stringify(settings)
  await context.db
    .insertInto('settings')
    .values({ key: 'tracking', value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/** Buys an episode or a plan as a new shopper. */
async function buy(marketing: boolean | null, kind: 'episode' | 'plan' = 'episode', at = site) {
  const shopper = await Shopper.create(at)
  const orderParams =
    kind === 'plan' ? { kind, plan_id: (await shopper.plan(7)).id } : { episode_id: at.video.episodes[4]?.id }
  // The first order creates the guest's row, which then stores the consent.
  const { id } = await shopper.order({ episode_id: at.video.episodes[5]?.id })
  const userId = await buyerOf(id, at)
  await setConsent(at, userId, marketing)
  const order = await shopper.order({ ...orderParams, email: 'Ada@Example.com' }, headers)
  expect((await shopper.tryPay(order.id, await shopper.cardToken())).info).toMatchObject({ status: 'paid' })
  return { order, userId }
}

async function buyerOf(orderId: string, at: BillingSite): Promise<string> {
  const { user_id } = await at.context.db
    .selectFrom('orders')
    .select('user_id')
    .where('id', '=', orderId)
    .executeTakeFirstOrThrow()
  return user_id
}

async function insertDueConversions(user_id: string, count: number): Promise<void> {
  const at = site.context.clock.now()
  const rows = Array.from({ length: count }, (_, index) => ({
    destination: 'meta' as const,
    name: 'purchase' as const,
    event_id: `ord_${index}`,
    user_id,
    details: '{}',
    next_attempt_at: at,
    at,
  }))
  await site.context.db.insertInto('conversions').values(rows).execute()
}

/** Creates another shopper, without consent. */
async function createGuest(): Promise<string> {
  const shopper = await Shopper.create(site)
  const { id } = await shopper.order({ episode_id: site.video.episodes[5]?.id })
  const userId = await buyerOf(id, site)
  await setConsent(site, userId, false)
  return userId
}

const hashed = createHash('sha256').update('ada@example.com').digest('hex')

describe('a paid order', () => {
  test('is reported to Meta and TikTok once, with its id and the hashed e-mail', async () => {
    const { order } = await buy(true)
    await Promise.all([send(), send(), send()])
    await send()
    expect(sink.posts).toHaveLength(2)
    const [meta, tiktok] = sink.posts.toSorted((a, b) => (a.path < b.path ? 1 : -1))
    expect(meta).toMatchObject({
      path: '/v24.0/123/events',
      body: { access_token: 'meta-key', data: [metaEvent(order)] },
    })
    expect(tiktok).toMatchObject({
      path: '/open_api/v1.3/event/track/',
      headers: { 'access-token': 'tiktok-key' },
      body: { event_source: 'web', event_source_id: 'TT9', data: [tiktokEvent(order)] },
    })
    expect(JSON.stringify(sink.posts)).not.toMatch(/ada@/i)
    expect(await conversions()).toMatchObject([
      { state: 'sent', details: {} },
      { state: 'sent', details: {} },
    ])
  })

  const metaEvent = (order: Order) => ({
    event_name: 'Purchase',
    event_id: order.id,
    event_time: expect.any(Number),
    action_source: 'website',
    event_source_url: 'http://localhost:3000/order/result',
    user_data: {
      em: [hashed],
      fbc: `fb.1.${Date.parse(order.created_at)}.fb1`,
      client_user_agent: 'Phone/1',
    },
    custom_data: { value: 0.99, currency: 'USD' },
  })
  const tiktokEvent = (order: Order) => ({
    event: 'Purchase',
    event_id: order.id,
    user: { email: hashed, ttclid: 'tt1', user_agent: 'Phone/1' },
    page: { url: 'http://localhost:3000/order/result' },
    properties: { value: 0.99, currency: 'USD' },
  })

  test('for a plan is reported as a subscription', async () => {
    await buy(true, 'plan')
    await send()
    const names = sink.posts.map(({ body }) => JSON.stringify(body).match(/"event(?:_name)?":"(\w+)"/)?.[1])
    expect(names).toEqual(['Subscribe', 'Subscribe'])
  })

  test.each([false, null])('without consent (%s) is neither stored nor reported', async (marketing) => {
    await buy(marketing)
    expect(await conversions()).toEqual([])
    await send()
    expect(sink.posts).toEqual([])
  })

  test('is neither stored nor reported if no access token is set', async () => {
    const keyless = await startBillingSite({ META_API_BASE: sink.url, TIKTOK_API_BASE: sink.url })
    onTestFinished(() => keyless.close())
    await setPixels(keyless, pixels)
    await buy(true, 'episode', keyless)
    await sendConversions(keyless.context)
    expect(await keyless.context.db.selectFrom('conversions').selectAll().execute()).toEqual([])
    expect(sink.posts).toEqual([])
  })

  test('is not reported after consent is withdrawn', async () => {
    const [one, two] = [await buy(true), await buy(true)]
    await site.context.db.transaction().execute((tx) => withdrawConsent(site.context, tx, one.userId))
    // The answer of the second user is changed without a call to this feature. This withdrawal must count too.
    await setConsent(site, two.userId, false)
    await send()
    expect(sink.posts).toEqual([])
    expect(await conversions()).toEqual([])
  })

  test('is not reported while consent is being withdrawn, which delays no other report', async () => {
    await onlyMeta()
    const [one, two] = [await buy(true), await buy(true)]
    await site.context.db.transaction().execute(async (tx) => {
      await lockConversionSending(tx, one.userId)
      await send()
      await deleteConversions(tx, one.userId, 'pending')
    })
    expect(sink.posts).toMatchObject([{ body: { data: [{ event_id: two.order.id }] } }])
    expect(await conversions()).toMatchObject([{ event_id: two.order.id, state: 'sent' }])
  })

  test.each([
    ['withdrawn', (tx: Tx, userId: string) => withdrawConsent(site.context, tx, userId)],
    ['deleted with the account', (tx: Tx, userId: string) => eraseTracking(tx, userId)],
    [
      'refused by the account that the guest signs in to',
      async (tx: Tx, userId: string) => mergeTracking(site.context, tx, userId, await createGuest()),
    ],
  ])('delays the end of consent until the report has ended: consent is %s', async (_words, withdraw) => {
    await onlyMeta()
    const { userId } = await buy(true)
    const requested = Promise.withResolvers<void>()
    const reply = Promise.withResolvers<Reply>()
    sink.reply = () => {
      requested.resolve()
      return reply.promise
    }
    const sending = send()
    await requested.promise
    const { db, database } = site.context
    const withdrawing = db.transaction().execute((tx) => withdraw(tx, userId))
    // The withdrawal has to wait, so it cannot be committed yet.
    await waitForLock(database.pool)
    reply.resolve({ status: 200, body: {} })
    await Promise.all([sending, withdrawing])
    expect(sink.posts).toHaveLength(1)
  })

  test('of a guest who then signs in is a conversion of the member', async () => {
    const { userId, order } = await buy(true)
    const member = await buy(true)
    await send()
    sink.posts.length = 0
    await site.context.db.updateTable('conversions').set({ next_attempt_at: new Date() }).execute()
    await site.context.db
      .transaction()
      .execute((tx) => mergeTracking(site.context, tx, userId, member.userId))
    const owners = (await conversions())
      .filter(({ event_id }) => event_id === order.id)
      .map(({ user_id }) => user_id)
    expect(owners).toEqual([member.userId, member.userId])
  })
})

test('a conversion that moves to a member who consents, before it is sent, is kept', async () => {
  await onlyMeta()
  const { order, userId } = await buy(true)
  const member = await buy(true)
  const { db, loadConsents } = site.context
  // The sign-in completes after the conversion was claimed.
  const loadConsentsAfterSignIn: typeof loadConsents = async (tx, users) => {
    await db
      .updateTable('conversions')
      .set({ user_id: member.userId })
      .where('user_id', '=', userId)
      .execute()
    await setConsent(site, userId, null)
    return loadConsents(tx, users)
  }
  await sendConversions({ ...site.context, loadConsents: loadConsentsAfterSignIn })
  const moved = (await conversions()).find(({ event_id }) => event_id === order.id)
  expect(moved).toMatchObject({ user_id: member.userId, state: 'pending' })
})

test('a run ends if a platform accepts no conversion of a batch', async () => {
  await onlyMeta()
  const { userId } = await buy(true)
  await insertDueConversions(userId, 44)
  sink.reply = () => ({ status: 503, body: {} })
  await send()
  expect(sink.posts).toHaveLength(20)
})

test('one run reports all due conversions, 20 at once', async () => {
  await onlyMeta()
  const { userId } = await buy(true)
  await insertDueConversions(userId, 44)
  const full = Promise.withResolvers<Reply>()
  sink.reply = () => {
    if (sink.posts.length === 20) full.resolve({ status: 200, body: {} })
    return full.promise
  }
  await send(10_000)
  expect(sink.posts).toHaveLength(45)
  expect(new Set((await conversions()).map(({ state }) => state))).toEqual(new Set(['sent']))
})

describe('a platform that does not accept a conversion', () => {
  beforeEach(onlyMeta)

  test('receives it again with the same id after a temporary error', async () => {
    const { order } = await buy(true)
    sink.reply = () => ({ status: 500, body: {} })
    await send()
    await send()
    expect(sink.posts).toHaveLength(1)
    sink.reply = () => ({ status: 200, body: {} })
    site.advanceClock(minutes(1))
    await send()
    expect(sink.posts.map(({ body }) => body)).toMatchObject([
      { data: [{ event_id: order.id }] },
      { data: [{ event_id: order.id }] },
    ])
    expect(await conversions()).toMatchObject([{ state: 'sent', attempts: 2 }])
  })

  test('receives it again if the platform did not respond in time', async () => {
    await buy(true)
    sink.reply = () => 'nothing'
    await send(100)
    expect(await conversions()).toMatchObject([{ state: 'pending', attempts: 1 }])
    sink.reply = () => ({ status: 200, body: {} })
    site.advanceClock(minutes(1))
    await send()
    expect(await conversions()).toMatchObject([{ state: 'sent' }])
  })

  test('receives it again if the platform was unreachable', async () => {
    await buy(true)
    const { tracking } = site.context
    const meta = { accessToken: 'k', apiBase: 'http://127.0.0.1:1' }
    await sendConversions({
      ...site.context,
      tracking: { ...tracking, conversions: { meta, tiktok: undefined } },
    })
    expect(await conversions()).toMatchObject([{ state: 'pending', attempts: 1 }])
  })

  test('does not receive it again after a permanent error', async () => {
    await buy(true)
    sink.reply = () => ({ status: 400, body: { error: { code: 190 } } })
    await send()
    site.advanceClock(minutes(10_000))
    await send()
    expect(sink.posts).toHaveLength(1)
    expect(await conversions()).toMatchObject([{ state: 'abandoned', details: {} }])
  })

  test('receives it again after the error “too many calls”, even if the response has status 400', async () => {
    await buy(true)
    sink.reply = () => ({ status: 400, body: { error: { code: 4 } } })
    await send()
    expect(await conversions()).toMatchObject([{ state: 'pending' }])
  })

  test('receives it at most six times', async () => {
    await buy(true)
    sink.reply = () => ({ status: 503, body: {} })
    for (let time = 0; time < 12; time++) {
      await send()
      site.advanceClock(minutes(721))
    }
    expect(sink.posts).toHaveLength(6)
    expect(await conversions()).toMatchObject([{ state: 'abandoned', attempts: 6, details: {} }])
  })

  test('does not block another platform', async () => {
    await setPixels(site, pixels)
    await buy(true)
    sink.reply = ({ path }) =>
      path.includes('open_api') ? { status: 200, body: { code: 0 } } : { status: 500, body: {} }
    await send()
    expect(await conversions()).toMatchObject([{ state: 'pending' }, { state: 'sent' }])
  })
})

test.each([
  [{ code: 0 }, 'sent'],
  [{ code: 40_100 }, 'pending'],
  [{ code: 50_002 }, 'pending'],
  [{ code: 40_002 }, 'abandoned'],
  ['no record', 'pending'],
])(
  'a response of TikTok is evaluated by the code in its body, not only by its status: %j',
  async (body, state) => {
    await setPixels(site, { tiktok_pixel: 'TT9' })
    await buy(true)
    sink.reply = () => ({ status: 200, body })
    await send()
    expect(await conversions()).toMatchObject([{ state }])
  },
)

test('a registration is reported once, with the new member’s id', async () => {
  await setPixels(site, { facebook_pixel_id: '123' })
  const passwords = { password: 'a long enough password 7', repeat_password: 'a long enough password 7' }
  const ids: string[] = []
  for (const marketing of [true, false]) {
    const visitor = site.visitor(headers)
    ids.push((await visitor.callOk(getUser)).id)
    await visitor.callOk(changeUser, { body: { consent: { marketing } } })
    await visitor.callOk(registerUser, { body: { email: `ada.${marketing}@example.com`, ...passwords } })
  }
  await send()
  expect(sink.posts).toMatchObject([
    {
      body: {
        data: [
          {
            event_name: 'CompleteRegistration',
            event_id: ids[0],
            event_source_url: 'http://localhost:3000/register',
            user_data: { client_user_agent: 'Phone/1', fbc: expect.stringMatching(/^fb\.1\.\d+\.fb1$/) },
            custom_data: {},
          },
        ],
      },
    },
  ])
})

test('an e-mail address is hashed in lower case and without the spaces around it', async () => {
  await setPixels(site, { tiktok_pixel: 'TT9' })
  const visitor = site.visitor(headers)
  await visitor.callOk(getUser)
  const { id } = await visitor.callOk(changeUser, { body: { consent: { marketing: true } } })
  const adIds = { referrerToken: undefined, fbclid: undefined, ttclid: undefined }
  const newMember = { id, email: ' Ada@Example.com ', userAgent: 'Phone/1', adIds }
  await site.context.db
    .transaction()
    .execute((tx) => queueRegistrationConversion(site.context, tx, newMember, site.context.clock.now()))
  await send()
  expect(sink.posts).toMatchObject([{ body: { data: [{ event_id: id, user: { email: hashed } }] } }])
})

test('a registration by a provider is reported with the stored click id', async () => {
  await setPixels(site, { tiktok_pixel: 'TT9' })
  const visitor = site.visitor(headers)
  await visitor.callOk(getUser)
  const { id } = await visitor.callOk(changeUser, { body: { consent: { marketing: true } } })
  const adIds = { referrerToken: undefined, fbclid: undefined, ttclid: undefined }
  const newMember = { id, email: undefined, userAgent: 'Phone/1', adIds }
  await site.context.db
    .transaction()
    .execute((tx) => queueRegistrationConversion(site.context, tx, newMember, site.context.clock.now()))
  await send()
  expect(sink.posts).toMatchObject([{ body: { data: [{ event_id: id, user: { ttclid: 'tt1' } }] } }])
})
