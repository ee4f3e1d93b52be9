import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { dayMs } from '#server/platform/clock.ts'
import { insertAttempt, selectAttempts, type AttemptRow } from './attempt-queries.ts'
import { isOpen } from './attempt-states.ts'
import type { BillingContext } from './billing-context.ts'
import { askGateway } from './call-gateway.ts'
import { nextCheck } from './check-schedule.ts'
import { endUnpaid } from './end-subscription.ts'
import type { PaymentGateway } from './gateway.ts'
import { takesAmount } from './gateways.ts'
import { giveUpAttempt } from './give-up-attempt.ts'
import {
  insertOrder,
  selectOrder,
  setPeriodOfOrder,
  updateOpenOrder,
  type OrderRow,
} from './order-queries.ts'
import {
  lockSubscriber,
  priceOf,
  selectOrderOfPeriod,
  selectPlannedOrder,
  selectPriceDue,
  selectRenewing,
  updateSubscription,
  type RenewingRow,
} from './renewal-queries.ts'
import { graceEnd } from './renewal-schedule.ts'
import { becomePastDue } from './settle-renewal.ts'
import { settleAttempt } from './settle-order.ts'
import type { PaymentMethod } from './tables.ts'

/** How long is waited before a payment that is still open, or a gateway that is not set up, is looked at again. */
const againMs = 10 * 60_000
/** After this long a person who was asked for something no longer keeps a try from being made. */
const patienceMs = 60 * 60_000
/** The order of a renewal is closed with its subscription; this is the end of those that were forgotten. */
const payableMs = 30 * dayMs

/** What a subscription is charged with. */
interface Charge {
  order: OrderRow
  attempt: AttemptRow
  gateway: PaymentGateway
  methodReference: string
}

type Step = { do: 'nothing' } | ({ do: 'charge' } & Charge) | { do: 'give up'; attempt: AttemptRow }

const nothing: Step = { do: 'nothing' }

/**
 * Does what is due about one subscription: charges its next period in two transactions with the gateway between them
 * (billing.md, "Crash safety"), or ends it. Where nothing is due it only notes when to look next.
 */
export async function renewSubscription(context: BillingContext, id: string): Promise<void> {
  const step = await inTransaction(context.db, (tx) => decide(context, tx, id))
  if (step.do === 'give up') return giveUpAttempt(context, step.attempt)
  if (step.do === 'nothing') return
  const { order, attempt, gateway, methodReference } = step
  const outcome = await askGateway(context, gateway, (asked) =>
    asked.chargeSaved({
      key: attempt.idempotency_key,
      orderId: order.id,
      attemptId: attempt.id,
      amountCents: order.amount_cents,
      currency: order.currency,
      payer: { userId: order.user_id, email: order.email },
      methodReference,
    }),
  )
  await settleAttempt(context, attempt, outcome ?? 'unknown')
}

/** The first transaction: what is due, and where it is a charge, the order and the attempt with its key. */
async function decide(context: BillingContext, tx: Tx, id: string): Promise<Step> {
  await lockSubscriber(tx, id)
  const now = context.clock.now()
  const row = await selectRenewing(tx, id)
  if (!isLive(row)) return nothing
  const order = await selectOrderOfPeriod(tx, id, row.period_no + 1)
  const attempts = order ? await selectAttempts(tx, [order.id]) : []
  const open = attempts.find(({ status }) => isOpen(status))
  const until = row.grace_ends_at ?? graceEnd(row.period_ends_at, row.period_days)
  if (open) return awaitAttempt(context, tx, row, open, until)
  const tryAt = row.cancel_at_period_end || row.method_reference === null ? null : row.try_at
  const endsAt = row.status === 'active' ? row.period_ends_at : until
  const next = tryAt ?? endsAt
  if (next > now) return lookAgain(tx, id, next)
  const closed = order !== undefined && order.status !== 'pending'
  if (isLeftWithoutMethod(row) && !closed) {
    const owed = order ?? (await makeOrder(tx, row, null, now))
    await becomePastDue(context, tx, { row, order: owed, triedAt: now, now }, 'card_lost')
    return nothing
  }
  if (tryAt === null || closed) {
    await endUnpaid(context, tx, row, now)
    return nothing
  }
  return beginCharge(context, tx, row, { order, number: (attempts[0]?.number ?? 0) + 1, now })
}

/** A subscription that has a period which ends. */
type DueRow = RenewingRow & { period_ends_at: Date }

function isLive(row: RenewingRow | undefined): row is DueRow {
  return (
    row !== undefined && row.period_ends_at !== null && (row.status === 'active' || row.status === 'past_due')
  )
}

/** Nobody wanted it to end: its method was taken away at the gateway, and another may follow. */
function isLeftWithoutMethod(row: DueRow): boolean {
  const { status, method_reference, method_lost_at, cancel_at_period_end: cancelled } = row
  return status === 'active' && !cancelled && method_reference === null && method_lost_at !== null
}

async function lookAgain(tx: Tx, id: string, at: Date): Promise<Step> {
  await updateSubscription(tx, id, { due_at: at })
  return nothing
}

/**
 * A payment that is open may still move money, so there is no other beside it. One that waits for the person is called off
 * once the grace is over; one that nobody could find out about does not keep the subscription for ever.
 */
async function awaitAttempt(
  context: BillingContext,
  tx: Tx,
  row: RenewingRow,
  attempt: AttemptRow,
  until: Date,
): Promise<Step> {
  const now = context.clock.now()
  const again = new Date(now.getTime() + againMs)
  const over = now >= until
  if (over && attempt.check_at === null) {
    await endUnpaid(context, tx, row, now)
    return nothing
  }
  await updateSubscription(tx, row.id, { due_at: again })
  const patient = now.getTime() - attempt.started_at.getTime() < patienceMs
  const inTheWay = row.try_at !== null && row.try_at <= now && !patient
  return attempt.status === 'requires_action' && (over || inTheWay) ? { do: 'give up', attempt } : nothing
}

async function beginCharge(
  context: BillingContext,
  tx: Tx,
  row: DueRow,
  { order: known, number, now }: { order: OrderRow | undefined; number: number; now: Date },
): Promise<Step> {
  const { gateways, log } = context
  const gateway = gateways.find(({ id }) => id === row.gateway)
  if (!gateway || row.gateway === null || row.method_reference === null) {
    log.error({ subscription: row.id, gateway: row.gateway }, 'a renewal is at a gateway that is not set up')
    return lookAgain(tx, row.id, new Date(now.getTime() + againMs))
  }
  const price = await selectPriceDue(tx, row, known)
  if (!takesAmount(gateway, price)) {
    const { amount_cents, currency } = price
    log.error(
      { subscription: row.id, gateway: gateway.id, amount_cents, currency },
      'a renewal has a price that its gateway does not take',
    )
    // As long as no order holds the price, it may be mended.
    if (!known) return lookAgain(tx, row.id, new Date(now.getTime() + againMs))
    await becomePastDue(context, tx, { row, order: known, triedAt: now, now }, 'not_taken')
    return nothing
  }
  const order = known ?? (await makeOrder(tx, row, gateway.id, now))
  const way = { gateway: gateway.id, method: kindOf(gateway, row) }
  // The person may have chosen another way since the last try.
  if (order.gateway !== way.gateway || order.method !== way.method) await updateOpenOrder(tx, order.id, way)
  const attempt = await insertAttempt(tx, {
    id: newId('att'),
    order_id: order.id,
    number,
    idempotency_key: `renew:${row.id}:${row.period_no + 1}:${number}`,
    gateway: gateway.id,
    status: 'started',
    started_at: now,
    check_at: nextCheck(0, now),
  })
  return { do: 'charge', order, attempt, gateway, methodReference: row.method_reference }
}

/** Which kind of a gateway's methods a subscription is charged with: of a wallet there are no last digits. */
function kindOf({ methods }: PaymentGateway, { method_last4 }: RenewingRow): PaymentMethod {
  const [only = 'card', ...others] = methods
  if (others.length === 0) return only
  return method_last4 === null ? 'wallet' : 'card'
}

/** The order for the next period: the change of plan that was planned for it, else the same plan again. */
async function makeOrder(
  tx: Tx,
  row: RenewingRow,
  gateway: OrderRow['gateway'] | null,
  now: Date,
): Promise<OrderRow> {
  const period = row.period_no + 1
  const payableUntil = new Date(now.getTime() + payableMs)
  const planned = await selectPlannedOrder(tx, row.id)
  const former = await selectOrderOfPeriod(tx, row.id, row.period_no)
  if (!former) throw new Error(`subscription ${row.id} has no order for its period ${row.period_no}`)
  const id = planned?.id ?? newId('ord')
  if (planned)
    await setPeriodOfOrder(tx, id, {
      period_no: period,
      expires_at: payableUntil,
      gateway: gateway ?? former.gateway,
    })
  else
    await insertOrder(tx, {
      id,
      user_id: row.user_id,
      kind: 'plan',
      plan_id: row.plan_id,
      subscription_id: row.id,
      period_no: period,
      status: 'pending',
      ...priceOf(row),
      gateway: gateway ?? former.gateway,
      method: former.method,
      email: row.email ?? former.email,
      attribution: '{}',
      created_at: now,
      expires_at: payableUntil,
    })
  const order = await selectOrder(tx, id)
  if (!order) throw new Error(`order ${id} is gone`)
  return order
}
