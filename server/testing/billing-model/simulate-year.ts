import { sql } from 'kysely'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { cancelSubscription } from '#server/features/billing/subscriptions/cancel-subscription.ts'
import { createSandboxGateway } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { payOrder } from '#server/features/billing/payments/pay-order.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import { compareSandboxBalance } from './compare-ledger-with-gateway.ts'
import { insertUserRow } from '#server/testing/builders/order-rows.ts'

const hour = 3_600_000
const day = 24 * hour
const yearDays = 365
const defaultStepMs = 6 * hour
const priceCents = 999

interface YearOptions {
  /** Number of subscriptions for each length of period. */
  subscribersPerPeriod: number
  periodDays: readonly number[]
  /** Every n-th subscription is cancelled at some time of the year. */
  cancelEvery: number
  /** Time in milliseconds between two runs of the schedulers: an integer fraction of a day, by default a quarter. */
  stepMs?: number
  onStep?(day: number): void
}

interface SimulatedSubscriber {
  userId: string
  orderId: string
  subscriptionId: string
  periodDays: number
  startsAt: number
  cancelsAt: number
}

/** The result of the year for one length of period. */
export interface PeriodTotals {
  periodDays: number
  subscriptions: number
  cancelled: number
  /** Number of periods that began according to the calendar, until the cancellation or the end of the year. */
  periods: number
  /** Number of periods that were paid at the gateway. */
  charges: number
}

export interface YearReport {
  lines: PeriodTotals[]
  /** Number of subscriptions that were not charged exactly once per period. */
  wrongCharges: number
  /** Number of charges after a cancellation. */
  chargesAfterCancelling: number
  /** Money at the gateway in cents, according to the site (`ledgerCents`) and to the gateway (`gatewayCents`). */
  balances: { ledgerCents: number; gatewayCents: number }
}

/**
 * Simulates a year of subscriptions with a clock that advances in steps. At each step, the schedulers run concurrently,
 * one per database connection. Users pay, renew and cancel through the same code as on a site.
 */
export async function simulateYear(
  base: BillingContext,
  connections: readonly Db[],
  options: YearOptions,
): Promise<YearReport> {
  const start = base.clock.now().getTime()
  let time = start
  const clock = { now: () => new Date(time) }
  const schedulers = connections.map((db): BillingContext => {
    const sandbox = { db, clock, secret: base.secret, notify: () => {} }
    return { ...base, db, clock, gateways: [createSandboxGateway(sandbox)] }
  })
  const [first = base] = schedulers
  const people = await subscribeAll(first, options, start, (at) => (time = at))
  const end = start + yearDays * day
  const { stepMs = defaultStepMs } = options
  for (let next = time + stepMs, last = time; next < end; last = next, next += stepMs) {
    time = next
    for (const person of people)
      if (person.cancelsAt > last && person.cancelsAt <= next)
        await cancelSubscription(first, person.userId, 'en')
    await Promise.all(schedulers.map((scheduler) => renewDueSubscriptions(scheduler)))
    if ((next - start) % day < stepMs) {
      await runJanitor(first)
      options.onStep?.(Math.floor((next - start) / day))
    }
  }
  // Returns the time of the last run before `at`. A cancellation takes effect at the next run.
  const jobRunBefore = (at: number) => time - Math.ceil((time - at) / stepMs) * stepMs
  return summarizeYear(first.db, people, time, jobRunBefore)
}

/** Creates the subscribers and pays their first period by card. Their starts are spread evenly over the first day. */
async function subscribeAll(
  context: BillingContext,
  { subscribersPerPeriod, periodDays, cancelEvery }: YearOptions,
  start: number,
  setTime: (at: number) => void,
): Promise<SimulatedSubscriber[]> {
  const plans = new Map<number, string>()
  for (const days of periodDays) plans.set(days, await insertPlan(context.db, days))
  const count = subscribersPerPeriod * periodDays.length
  const people = Array.from({ length: count }, (_, index): SimulatedSubscriber => {
    const startsAt = start + Math.floor((index * day) / count)
    const cancels = index % cancelEvery === cancelEvery - 1
    return {
      userId: newId('usr'),
      orderId: newId('ord'),
      subscriptionId: newId('sub'),
      periodDays: periodDays[index % periodDays.length] ?? 0,
      startsAt,
      // A cancellation is never at the end of a period, where it would coincide with the renewal.
      cancelsAt: cancels
        ? startsAt + 2 * day + Math.floor(((index * 37) % count) * (360 / count)) * day + 7 * hour
        : Infinity,
    }
  })
  for (const person of people) {
    setTime(person.startsAt)
    const planId = plans.get(person.periodDays) ?? ''
    const token = await context.db.transaction().execute((tx) => insertOrder(tx, person, planId))
    await payOrder(context, person.userId, person.orderId, { ip: '127.0.0.1', token })
  }
  return people
}

async function insertPlan(db: Db, periodDays: number): Promise<string> {
  const id = newId('plan')
  await db
    .insertInto('plans')
    .values({
      id,
      names: JSON.stringify({ en: `${periodDays} days` }),
      descriptions: JSON.stringify({ en: 'All of it.' }),
      price_cents: priceCents,
      intro_price_cents: null,
      currency: 'USD',
      period_days: periodDays,
    })
    .execute()
  return id
}

/**
 * Inserts the order of the first period as the API does, and creates a token as the card form does.
 * @returns the token
 */
async function insertOrder(tx: Tx, person: SimulatedSubscriber, planId: string): Promise<string> {
  const at = new Date(person.startsAt)
  const token = `token of ${person.orderId}`
  const { userId: user_id, subscriptionId } = person
  await insertUserRow(tx, user_id)
  await tx
    .insertInto('subscriptions')
    .values({ id: subscriptionId, user_id, plan_id: planId, status: 'incomplete', created_at: at })
    .execute()
  await tx
    .insertInto('orders')
    .values({
      id: person.orderId,
      user_id,
      kind: 'plan',
      plan_id: planId,
      subscription_id: subscriptionId,
      period_no: 0,
      status: 'pending',
      amount_cents: priceCents,
      currency: 'USD',
      gateway: 'sandbox',
      method: 'card',
      email: `${user_id}@example.com`,
      attribution: '{}',
      created_at: at,
      expires_at: new Date(at.getTime() + day),
    })
    .execute()
  const expires_at = new Date(at.getTime() + hour)
  await tx
    .insertInto('sandbox_tokens')
    .values({ token, behaviour: 'pays', brand: 'visa', last4: '4242', expires_at })
    .execute()
  return token
}

/**
 * Counts the periods of a subscriber that began until the last run of the schedulers, or until the last run before the
 * cancellation.
 */
function periodsOf(
  { startsAt, cancelsAt, periodDays }: SimulatedSubscriber,
  lastRunAt: number,
  jobRunBefore: (at: number) => number,
) {
  const until = cancelsAt === Infinity ? lastRunAt : jobRunBefore(cancelsAt)
  return 1 + Math.max(0, Math.floor((until - startsAt) / (periodDays * day)))
}

async function summarizeYear(
  db: Db,
  people: readonly SimulatedSubscriber[],
  end: number,
  jobRunBefore: (at: number) => number,
): Promise<YearReport> {
  const paid = await sql<{ user_id: string; charges: number; last: Date; periods: number }>`
    SELECT orders.user_id, count(*)::int AS charges, max(sandbox_payments.created_at) AS last,
      count(DISTINCT orders.period_no)::int AS periods
    FROM sandbox_payments JOIN orders ON orders.id = sandbox_payments.metadata ->> 'order_id'
    WHERE sandbox_payments.status = 'succeeded' GROUP BY orders.user_id`.execute(db)
  const chargesOf = new Map(paid.rows.map((row) => [row.user_id, row]))
  const lines = new Map<number, PeriodTotals>()
  let [wrongCharges, chargesAfterCancelling] = [0, 0]
  for (const person of people) {
    const { userId, periodDays, cancelsAt } = person
    const line = lines.get(periodDays) ?? {
      periodDays,
      subscriptions: 0,
      cancelled: 0,
      periods: 0,
      charges: 0,
    }
    const periods = periodsOf(person, end, jobRunBefore)
    const { charges = 0, last, periods: charged } = chargesOf.get(userId) ?? {}
    line.subscriptions++
    line.cancelled += cancelsAt === Infinity ? 0 : 1
    line.periods += periods
    line.charges += charges
    wrongCharges += charges === periods && charged === periods ? 0 : 1
    chargesAfterCancelling += last && last.getTime() >= cancelsAt ? 1 : 0
    lines.set(periodDays, line)
  }
  return {
    lines: [...lines.values()],
    wrongCharges,
    chargesAfterCancelling,
    balances: await compareSandboxBalance(db),
  }
}
