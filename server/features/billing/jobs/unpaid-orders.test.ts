import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { dayMs } from '#server/platform/clock.ts'
import {
  episodeIdOf,
  expectLedgerBalanced,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { purgeUnpaidOrders } from './purge-unpaid-orders.ts'
import { runJanitor } from './janitor.ts'
import { selectAcceptedTerms } from '#server/features/billing/records/accepted-terms-queries.ts'

let site: BillingSite
beforeAll(async () => {
  site = await startBillingSite({ UNPAID_ORDER_RETENTION_DAYS: '30' })
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

async function order(termsText: string): Promise<{ shopper: Shopper; id: string }> {
  const shopper = await Shopper.create(site)
  const { id } = await shopper.order({ episode_id: episodeIdOf(site), consent: { terms_text: termsText } })
  return { shopper, id }
}

async function purgeAfter(days: number): Promise<void> {
  site.advanceClock(days * dayMs)
  await runJanitor(site.context)
  await purgeUnpaidOrders(site.context)
}

const remainingOrders = async (...ids: string[]) => {
  const rows = await site.context.db.selectFrom('orders').select('id').where('id', 'in', ids).execute()
  return ids.filter((id) => rows.some((row) => row.id === id))
}
const remainingTerms = async () => {
  const rows = await site.context.db.selectFrom('accepted_terms').select('text').orderBy('text').execute()
  return rows.map(({ text }) => text)
}

test('an unpaid order is deleted after 30 days with its attempts, and with terms that no other order uses', async () => {
  const plain = await order('the same words')
  const tried = await order('words of one order')
  await tried.shopper.tryPay(tried.id, await tried.shopper.cardToken(testCards.declined))
  const buyer = await Shopper.create(site)
  const plan = await buyer.order({ kind: 'plan', plan_id: (await buyer.plan(7)).id })
  const paid = await order('the same words')
  await paid.shopper.tryPay(paid.id, await paid.shopper.cardToken())
  expect(await remainingTerms()).toEqual(['the same words', 'words of one order'])
  await purgeAfter(29)
  expect(await remainingOrders(plain.id, tried.id, plan.id)).toHaveLength(3)
  await purgeAfter(3)
  expect(await remainingOrders(plain.id, tried.id, plan.id, paid.id)).toEqual([paid.id])
  expect(await remainingTerms()).toEqual(['the same words'])
  const subscriptions = await site.context.db.selectFrom('subscriptions').select('id').execute()
  expect(subscriptions).toEqual([])
})

test('a replaced or undone change of plan is deleted after 30 days, even if the plan’s period is longer', async () => {
  const person = await Subscriber.create(site, { days: 365 })
  const choose = async (days: number) =>
    person.shopper.order({ kind: 'plan', plan_id: (await person.shopper.plan(days)).id })
  const replaced = await choose(30)
  const takenBack = await choose(7)
  expect(await choose(365)).toMatchObject({ id: takenBack.id, status: 'cancelled' })
  const waiting = await choose(30)
  const ids = [replaced.id, takenBack.id, waiting.id]
  await purgeAfter(29)
  expect(await remainingOrders(...ids)).toEqual(ids)
  await purgeAfter(2)
  expect(await remainingOrders(...ids)).toEqual([waiting.id])
  expect((await person.orders()).map(({ status }) => status)).toEqual(['paid', 'pending'])
})

test('an order is not deleted while the outcome of its payment is unknown', async () => {
  const { shopper, id } = await order('asked')
  await shopper.tryPay(id, await shopper.cardToken(testCards.requires3dsAlways))
  await site.context.db
    .updateTable('payment_attempts')
    .set({ status: 'unknown' })
    .where('order_id', '=', id)
    .execute()
  site.advanceClock(40 * dayMs)
  await site.context.db.updateTable('orders').set({ status: 'expired' }).where('id', '=', id).execute()
  await purgeUnpaidOrders(site.context)
  expect(await remainingOrders(id)).toEqual([id])
})

test('orders with the same terms share one stored copy of these terms', async () => {
  const before = (await remainingTerms()).length
  const orders = await Promise.all([1, 2, 3].map(() => order('many agree to these')))
  expect(await remainingTerms()).toHaveLength(before + 1)
  for (const { id } of orders) {
    const row = await site.context.db
      .selectFrom('orders')
      .select('consent')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const hash = row.consent?.terms_hash ?? ''
    expect(await selectAcceptedTerms(site.context.db, hash)).toBe('many agree to these')
  }
})

test('unstarted subscriptions are deleted in batches, but not while they may still have an order', async () => {
  const { db, clock } = site.context
  const buyer = await Shopper.create(site)
  const plan = await buyer.plan(7)
  const { id: ordered } = await buyer.order({ kind: 'plan', plan_id: plan.id })
  const { user_id } = await db
    .selectFrom('orders')
    .select('user_id')
    .where('id', '=', ordered)
    .executeTakeFirstOrThrow()
  const unstarted = (id: string, created_at: Date) => ({
    id,
    user_id,
    plan_id: plan.id,
    status: 'expired' as const,
    created_at,
  })
  const now = clock.now()
  const old = Array.from({ length: 1001 }, (_, index) =>
    unstarted(`sub_old_${index}`, new Date(now.getTime() - 31 * dayMs)),
  )
  await db
    .insertInto('subscriptions')
    .values([...old, unstarted('sub_new', now)])
    .execute()
  await purgeUnpaidOrders(site.context)
  const rows = await db.selectFrom('subscriptions').select('id').where('id', 'like', 'sub\\_%').execute()
  const left = rows.map(({ id }) => id).filter((id) => id === 'sub_new' || id.startsWith('sub_old'))
  expect(left).toEqual(['sub_new'])
})
