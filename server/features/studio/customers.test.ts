import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { listOrders } from '#contract/studio/orders.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import {
  deleteCustomer,
  searchCustomers,
  getCustomer,
  grantEntitlement,
  listWatchHistory,
  revokeEntitlement,
  signOutCustomer,
} from '#contract/studio/customers.ts'
import { createMember } from '#server/testing/builders/member.ts'
import {
  buyEpisode,
  episodeIdOf,
  applySandboxWebhook,
  startBillingSite,
  paymentOf,
  playbackCode,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'

const reason = 'asked by mail'
let site: BillingSite
let support: TestOperator

beforeAll(async () => {
  site = await startBillingSite()
  support = await signInOperator(site, 'support')
})
afterAll(() => site.close())

const find = async (keyword: string) =>
  (await support.studio.callOk(searchCustomers, { query: { keyword } })).list
const show = (id: string) => support.studio.callOk(getCustomer, { query: { id } })

describe('a customer is found', () => {
  it('by the e-mail address and the id of the account', async () => {
    const { visitor, email } = await createMember(site)
    const { id } = await visitor.callOk(getUser)
    expect(await find(email.toUpperCase())).toEqual([
      expect.objectContaining({ id, role: 'member', email, email_verified: false }),
    ])
    expect((await find(id)).map((customer) => customer.email)).toEqual([email])
    expect(await find('usr_none')).toEqual([])
  })

  it('by the e-mail address and the id of a guest’s order', async () => {
    const { shopper, order } = await buyEpisode(site)
    const [guest, ...more] = await find(shopper.email)
    expect(guest).toMatchObject({ role: 'guest', email: null, order_email: shopper.email })
    expect(more).toEqual([])
    expect(await find(order.id)).toEqual([guest])
  })
})

it('the details of a customer include subscription, payment methods, sessions and entitlements, but no credentials', async () => {
  const { shopper, userId } = await Subscriber.create(site)
  await shopper.buy({ episode_id: episodeIdOf(site) })
  const file = await show(userId)
  expect(file.membership).toMatchObject({ state: 'subscribed', status: 'active', gateway: 'sandbox' })
  expect(file.methods).toEqual([
    { gateway: 'sandbox', brand: 'visa', last4: '4242', created_at: expect.any(String) },
  ])
  expect(file.entitlements).toEqual([expect.objectContaining({ source: 'subscription', title: null })])
  const member = await createMember(site)
  const { id } = await member.visitor.callOk(getUser)
  expect((await show(id)).sessions).toEqual([expect.objectContaining({ device: expect.any(String) })])
  expect(JSON.stringify([file, await show(id)])).not.toMatch(/token|hash|secret|"reference|sbx_/)
  expect((await support.studio.call(getCustomer, { query: { id: 'usr_none' } })).answer.code).toBe(404)
})

it('the date of a payment method is taken from the site’s clock, which can be moved in the sandbox', async () => {
  site.advanceClock(86_400_000)
  support = await signInOperator(site, 'support')
  const before = site.context.clock.now().getTime()
  const { userId } = await Subscriber.create(site)
  const [method] = (await show(userId)).methods
  expect(Date.parse(method?.created_at ?? '')).toBeGreaterThanOrEqual(before)
})

it('a customer’s viewing history is listed, latest first', async () => {
  const { visitor } = await createMember(site)
  const { id } = await visitor.callOk(getUser)
  const at = new Date().toISOString()
  const body = { video_id: site.video.id, episode_id: episodeIdOf(site, 2), position_ms: 1000, at }
  await visitor.callOk(saveHistory, { body })
  const { list } = await support.studio.callOk(listWatchHistory, { query: { id } })
  expect(list).toEqual([expect.objectContaining({ video_id: site.video.id, number: 2, position_ms: 1000 })])
})

describe('an entitlement', () => {
  const grant = (customer: string, what: object) =>
    support.studio.callOk(grantEntitlement, { body: { customer, reason, ...what } })
  const guest = async () => {
    const { shopper } = await buyEpisode(site, 6)
    return { shopper, id: (await find(shopper.email))[0]?.id ?? '' }
  }

  it('to one episode covers only that episode, and can be revoked', async () => {
    const { shopper, id } = await guest()
    expect([await playbackCode(site, shopper, 4), await playbackCode(site, shopper, 5)]).toEqual([402, 402])
    const granted = await grant(id, { video_id: site.video.id, number: 4 })
    expect([await playbackCode(site, shopper, 4), await playbackCode(site, shopper, 5)]).toEqual([200, 402])
    const entitlement = (await show(id)).entitlements.find((each) => each.id === granted.id)
    expect(entitlement).toMatchObject({ order_id: null, reason, number: 4, ends_at: null, revoked_at: null })
    await support.studio.callOk(revokeEntitlement, { body: { id: granted.id, reason } })
    expect(await playbackCode(site, shopper, 4)).toBe(402)
    const again = await support.studio.call(revokeEntitlement, { body: { id: granted.id, reason } })
    expect(again.answer.code).toBe(404)
    const { list } = await support.studio.callOk(listAuditEvents, { query: { subject: id } })
    expect(list.map(({ event, operator }) => [event, operator])).toEqual([
      ['studio entitlement revoke', support.email],
      ['studio entitlement grant', support.email],
      // The customer's own actions are in the same list.
      ['order_paid', null],
    ])
    expect(list[0]?.details).toMatchObject({ before: { entitlement: granted.id }, after: { reason } })
  })

  it('to a whole video or to everything can be granted for some days, and then expires', async () => {
    const { shopper, id } = await guest()
    await grant(id, { video_id: site.video.id, days: 1 })
    const other = await guest()
    await grant(other.id, { days: 1 })
    expect([await playbackCode(site, shopper, 5), await playbackCode(site, other.shopper, 5)]).toEqual([
      200, 200,
    ])
    site.advanceClock(86_400_000)
    expect([await playbackCode(site, shopper, 5), await playbackCode(site, other.shopper, 5)]).toEqual([
      402, 402,
    ])
    support = await signInOperator(site, 'support')
  })

  it('from a purchase can be revoked without a refund, and the episode can be bought again', async () => {
    const { shopper, id } = await guest()
    const bought = (await show(id)).entitlements[0]
    await support.studio.callOk(revokeEntitlement, { body: { id: bought?.id ?? '', reason } })
    expect(await playbackCode(site, shopper, 6)).toBe(402)
    expect((await shopper.buy({ episode_id: episodeIdOf(site, 6) })).code).toBe(200)
  })

  it('that was revoked is not restored by a won dispute', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy({ episode_id: episodeIdOf(site) }, testCards.disputed)
    const [customer] = await find(info?.id ?? '')
    const entitlement = (await show(customer?.id ?? '')).entitlements[0]
    await support.studio.callOk(revokeEntitlement, { body: { id: entitlement?.id ?? '', reason } })
    const { reference } = await paymentOf(site, info?.id ?? '')
    await applySandboxWebhook(site, reference)
    site.advanceClock(10 * 86_400_000)
    await applySandboxWebhook(site, reference)
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'paid' })
    expect(await playbackCode(site, shopper)).toBe(402)
    support = await signInOperator(site, 'support')
  })

  it('can be revoked while its order is disputed, and a won dispute does not restore it', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy({ episode_id: episodeIdOf(site) }, testCards.disputed)
    const [customer] = await find(info?.id ?? '')
    const { reference } = await paymentOf(site, info?.id ?? '')
    await applySandboxWebhook(site, reference)
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'charged_back' })
    const rightOf = async () => (await show(customer?.id ?? '')).entitlements[0]
    const locked = await rightOf()
    expect(locked).toMatchObject({ revoked_at: expect.any(String), revocation_reason: null })
    const body = { id: locked?.id ?? '', reason }
    await support.studio.callOk(revokeEntitlement, { body })
    expect(await rightOf()).toMatchObject({ revoked_at: locked?.revoked_at, revocation_reason: reason })
    expect((await support.studio.call(revokeEntitlement, { body })).answer.code).toBe(404)
    site.advanceClock(10 * 86_400_000)
    await applySandboxWebhook(site, reference)
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'paid' })
    expect(await playbackCode(site, shopper)).toBe(402)
    support = await signInOperator(site, 'support')
  })

  it('cannot be granted to an unknown customer or for an unknown video', async () => {
    const { id } = await guest()
    const tries = [
      { customer: 'usr_none', reason },
      { customer: id, video_id: 'vid_none', reason },
      { customer: id, video_id: site.video.id, number: 99, reason },
    ]
    for (const body of tries)
      expect((await support.studio.call(grantEntitlement, { body })).answer.code).toBe(404)
  })
})

it('a customer is signed out everywhere', async () => {
  const { visitor } = await createMember(site)
  const { id } = await visitor.callOk(getUser)
  expect(await support.studio.callOk(signOutCustomer, { body: { id } })).toEqual({ ended: 1 })
  expect((await visitor.callOk(getUser)).role).toBe('visitor')
  expect((await show(id)).sessions).toEqual([])
})

describe('the deletion of a customer', () => {
  it('ends the plan and the sessions, deletes the e-mail address, and keeps the order anonymously', async () => {
    const { shopper, userId, ...subscriber } = await Subscriber.create(site)
    const body = { id: userId, reason }
    expect(await support.studio.callOk(deleteCustomer, { body })).toEqual({ deleted: true })
    expect(await find(shopper.email)).toEqual([])
    expect((await show(userId)).customer).toMatchObject({ role: 'deleted', email: null })
    expect((await show(userId)).methods).toEqual([])
    const { list } = await support.studio.callOk(listOrders, { query: { customer: userId } })
    expect(list).toEqual([expect.objectContaining({ status: 'paid', email: null })])
    const { status } = await site.context.db
      .selectFrom('subscriptions')
      .select('status')
      .where('id', '=', subscriber.subscriptionId)
      .executeTakeFirstOrThrow()
    expect(status).toBe('ended')
    expect((await support.studio.call(deleteCustomer, { body })).answer.code).toBe(404)
    const auditLog = await support.studio.callOk(listAuditEvents, { query: { subject: userId } })
    expect(JSON.stringify(auditLog)).not.toContain(shopper.email)
  })

  it('deletes nothing if one of the features cannot erase its records', async () => {
    const shopper = await Shopper.create(site)
    await shopper.buy({ episode_id: episodeIdOf(site) })
    const [customer] = await find(shopper.email)
    const { lifecycleHooks } = site.context
    const erase = [...lifecycleHooks.erase, () => Promise.reject(new Error('not now'))]
    site.context.lifecycleHooks = { ...lifecycleHooks, erase }
    // Calls the process of this context directly, because another process would not have the failing hook.
    const { status } = await fetch(`${site.directUrl}${deleteCustomer.path}`, {
      method: deleteCustomer.method,
      headers: {
        cookie: support.studio.cookie,
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify({ id: customer?.id, reason }),
    })
    site.context.lifecycleHooks = lifecycleHooks
    expect(status).toBe(500)
    expect(await find(shopper.email)).toEqual([customer])
  })
})
