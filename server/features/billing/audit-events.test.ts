import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

/** Returns a user's audit events, oldest first. */
async function trailOf({ visitor }: Shopper) {
  const { id } = await visitor.callOk(getUser)
  const { rows } = await site.context.database.pool.query<{ event: string; details: object }>(
    'SELECT event, details FROM audit_events WHERE user_id = $1 ORDER BY id',
    [id],
  )
  return rows
}

test('a payment is recorded with its order and amount, and a declined payment with the reason', async () => {
  const shopper = await Shopper.create(site)
  const orderParams = { kind: 'episode' as const, episode_id: site.video.episodes[3]?.id ?? '' }
  await shopper.buy(orderParams, testCards.declined)
  await shopper.buy(orderParams)
  const money = { amount_cents: 99, currency: 'USD', gateway: 'sandbox' }
  expect(await trailOf(shopper)).toEqual([
    { event: 'payment_failed', details: expect.objectContaining({ ...money, reason: 'card_declined' }) },
    { event: 'order_paid', details: expect.objectContaining(money) },
  ])
})

test('a cancellation and a resumption are each recorded once, even if they are requested repeatedly', async () => {
  const shopper = await Shopper.create(site)
  await shopper.buy({ kind: 'plan', plan_id: (await shopper.plan(7)).id })
  for (const call of [cancelSubscription, cancelSubscription, resumeSubscription, resumeSubscription])
    await shopper.visitor.callOk(call)
  expect((await trailOf(shopper)).map(({ event }) => event)).toEqual([
    'order_paid',
    'subscription_cancelled',
    'subscription_resumed',
  ])
})
