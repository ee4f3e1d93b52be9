import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteUser } from '#contract/members.ts'
import { listReportDays, type ReportDay } from '#contract/studio/analytics.ts'
import { failRefunds } from '#server/features/billing/gateways/sandbox/queries.ts'
import { simulateDispute } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import { aggregateDailyRevenue } from '#server/features/billing/reporting/daily-revenue.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import {
  buyEpisode,
  applySandboxWebhook,
  startBillingSite,
  paymentOf,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

const today = () => site.context.clock.now().toISOString().slice(0, 10)

const emptyRevenue = (currency: string) => ({
  currency,
  gross_cents: 0,
  refunded_cents: 0,
  disputed_cents: 0,
  disputes_won_cents: 0,
  disputes_lost_cents: 0,
  net_cents: 0,
})

/** Sets the state of an order's dispute in the sandbox, and applies the webhook event that reports it. */
async function bankSays(orderId: string, status: 'open' | 'won' | 'lost'): Promise<void> {
  const { db, clock, secret } = site.context
  const { reference } = await paymentOf(site, orderId)
  await simulateDispute({ db, clock, secret, notify: () => {} }, reference, status)
  await applySandboxWebhook(site, reference)
}

/**
 * Buys an episode and disputes its payment.
 * @returns the order's id
 */
async function disputeEpisode(status: 'open'): Promise<string> {
  const { order } = await buyEpisode(site, 5)
  await bankSays(order.id, status)
  return order.id
}

/** Returns the report as an analyst sees it. */
async function loadRevenue(days = 30) {
  const { studio } = await signInOperator(site, 'analyst')
  return studio.callOk(listReportDays, { query: { days } })
}

/** Returns the net revenue as a plain sum of ledger lines, for comparison with the report. */
async function ledgerNet(): Promise<number> {
  const { rows } = await sql<{ net: string }>`
    SELECT coalesce(-sum(amount_cents), 0) AS net FROM ledger_lines
    WHERE account NOT LIKE 'gateway:%' AND account <> 'refunds_payable'`.execute(site.context.db)
  return Number(rows[0]?.net)
}

const sumOf = (list: readonly ReportDay[], pick: (day: ReportDay) => number) =>
  list.reduce((sum, each) => sum + pick(each), 0)
const netOf = ({ revenue }: ReportDay) => revenue.reduce((sum, { net_cents }) => sum + net_cents, 0)
const dayOf = (list: readonly ReportDay[], name: string) => list.find((each) => each.day === name)

it('the report lists every UTC day, including days without sales', async () => {
  const { list, totals } = await loadRevenue(3)
  const names = [2, 1, 0].map((ago) => new Date(Date.now() - ago * day).toISOString().slice(0, 10))
  expect(list).toEqual(
    names.map((name) => ({ day: name, revenue: [], subscribed: 0, churned: 0, failed_renewals: 0 })),
  )
  expect(totals).toEqual([])
})

it('the report totals sales, refunds and disputes of each day, and equals the ledger to the cent', async () => {
  const [sold, refunded, disputed] = [today(), await buyEpisode(site), await buyEpisode(site, 5)]
  site.advanceClock(day)
  await refundOrder(site.context, refunded.order.id, { amountCents: 33, reason: 'goodwill' })
  const { db, clock, secret } = site.context
  const { reference } = await paymentOf(site, disputed.order.id)
  await simulateDispute({ db, clock, secret, notify: () => {} }, reference, 'open')
  await applySandboxWebhook(site, reference)
  const { list, totals } = await loadRevenue()
  const usd = emptyRevenue('USD')
  expect(dayOf(list, sold)?.revenue).toEqual([{ ...usd, gross_cents: 198, net_cents: 198 }])
  expect(dayOf(list, today())?.revenue).toEqual([
    { ...usd, refunded_cents: 33, disputed_cents: 99, net_cents: -132 },
  ])
  expect(totals).toEqual([
    { ...usd, gross_cents: 198, refunded_cents: 33, disputed_cents: 99, net_cents: 66 },
  ])
  expect(sumOf(list, netOf)).toBe(await ledgerNet())
  await simulateDispute({ db, clock, secret, notify: () => {} }, reference, 'won')
  await applySandboxWebhook(site, reference)
})

it('a won dispute counts on the day on which it was opened, also after that day was aggregated', async () => {
  const opened = today()
  const usd = emptyRevenue('USD')
  const won = { ...usd, refunded_cents: 33, disputed_cents: 99, disputes_won_cents: 99, net_cents: -33 }
  expect(dayOf((await loadRevenue()).list, opened)?.revenue).toEqual([won])
  const order = await disputeEpisode('open')
  site.advanceClock(day)
  await aggregateDailyRevenue(site.context)
  site.advanceClock(day)
  await bankSays(order, 'won')
  const { list } = await loadRevenue()
  expect(dayOf(list, today())?.revenue).toEqual([])
  expect(dayOf(list, opened)?.revenue).toEqual([
    { ...won, gross_cents: 99, disputed_cents: 198, disputes_won_cents: 198, net_cents: 66 },
  ])
  expect(sumOf(list, netOf)).toBe(await ledgerNet())
  for (const { net_cents, gross_cents } of list.flatMap(({ revenue }) => revenue))
    expect(net_cents).toBeLessThanOrEqual(gross_cents)
})

it('a lost dispute counts as disputed and lost, and if it is won later, as disputed and won', async () => {
  const order = await disputeEpisode('open')
  const figures = async () => {
    const [{ disputed_cents, disputes_won_cents, disputes_lost_cents, net_cents } = emptyRevenue('USD')] = (
      await loadRevenue()
    ).totals
    return [disputed_cents, disputes_won_cents, disputes_lost_cents, net_cents]
  }
  const [disputed = 0, wonBefore = 0, , net = 0] = await figures()
  await bankSays(order, 'lost')
  expect(await figures()).toEqual([disputed, wonBefore, 99, net])
  await bankSays(order, 'won')
  expect(await figures()).toEqual([disputed, wonBefore + 99, 0, net + 99])
  expect(sumOf((await loadRevenue()).list, netOf)).toBe(await ledgerNet())
})

it('a failed refund is subtracted from the refunds of the day on which it was sent', async () => {
  const { order } = await buyEpisode(site)
  const { reference } = await paymentOf(site, order.id)
  await refundOrder(site.context, order.id, { amountCents: 40, reason: 'goodwill' })
  const sent = today()
  const before = dayOf((await loadRevenue()).list, sent)?.revenue[0]?.refunded_cents ?? 0
  site.advanceClock(day)
  await failRefunds(site.context.db, reference, site.context.clock.now())
  await applySandboxWebhook(site, reference)
  const { list } = await loadRevenue()
  expect(dayOf(list, sent)?.revenue[0]?.refunded_cents).toBe(before - 40)
  expect(dayOf(list, today())?.revenue).toEqual([])
})

it('currencies are reported separately', async () => {
  const [before] = (await loadRevenue()).totals
  const { order } = await buyEpisode(site)
  const { db } = site.context
  await db.updateTable('ledger_lines').set({ currency: 'EUR' }).where('order_id', '=', order.id).execute()
  const { totals } = await loadRevenue()
  expect(totals.map(({ currency, gross_cents }) => [currency, gross_cents])).toEqual([
    ['USD', before?.gross_cents],
    ['EUR', 99],
  ])
  expect(totals.reduce((sum, { net_cents }) => sum + net_cents, 0)).toBe(await ledgerNet())
})

it('new minus lost subscribers equals the active subscribers, and each failed renewal counts once', async () => {
  const failing = await Subscriber.create(site, { card: testCards.declinesRenewals })
  const leaving = await Subscriber.create(site)
  await Subscriber.create(site, { days: 30 })
  const began = today()
  await leaving.shopper.visitor.callOk(deleteUser, { body: {} })
  const first = await loadRevenue()
  expect(first.subscribers).toBe(2)
  expect(dayOf(first.list, began)).toMatchObject({ subscribed: 3, churned: 1, failed_renewals: 0 })
  await failing.advanceAndRenew(7 * day + 1000)
  const tried = today()
  // A second attempt on the same day belongs to the same renewal.
  await sql`
    INSERT INTO payment_attempts (id, order_id, number, idempotency_key, initiator, gateway, status, started_at)
    SELECT 'att_again', order_id, 9, 'renew:again', 'merchant', gateway, status, started_at FROM payment_attempts WHERE status = 'failed'`.execute(
    site.context.db,
  )
  const second = await loadRevenue()
  expect(second.subscribers).toBe(2)
  expect(dayOf(second.list, tried)).toMatchObject({ churned: 0, failed_renewals: 1 })
  for (const days of [1, 2, 1]) await failing.advanceAndRenew(days * day)
  expect((await failing.subscriptionRow()).status).toBe('ended')
  const last = await loadRevenue()
  expect(last.subscribers).toBe(1)
  expect(sumOf(last.list, ({ subscribed, churned }) => subscribed - churned)).toBe(last.subscribers)
  expect(sumOf(last.list, ({ failed_renewals }) => failed_renewals)).toBe(1)
  expect(sumOf(last.list, netOf)).toBe(await ledgerNet())
})

it('the figures are the same after a job has aggregated the days, and new sales of today are counted', async () => {
  const before = await loadRevenue(40)
  await Promise.all([aggregateDailyRevenue(site.context), aggregateDailyRevenue(site.context)])
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM daily_revenue`.execute(
    site.context.db,
  )
  expect(rows[0]?.count).toBeGreaterThan(9)
  expect(await loadRevenue(40)).toEqual(before)
  await buyEpisode(site)
  const { list } = await loadRevenue(40)
  expect(sumOf(list, netOf)).toBe(await ledgerNet())
  site.advanceClock(day)
  await aggregateDailyRevenue(site.context)
  site.advanceClock(2 * day)
  await buyEpisode(site)
  expect(sumOf((await loadRevenue(40)).list, netOf)).toBe(await ledgerNet())
})
