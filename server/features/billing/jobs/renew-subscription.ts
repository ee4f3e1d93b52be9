import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { dayMs } from '#server/platform/clock.ts'
import {
  insertAttempt,
  selectAttempts,
  type AttemptRow,
} from '#server/features/billing/records/attempt-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { askGateway } from '#server/features/billing/gateways/call-gateway.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import {
  decideRenewal,
  isLive,
  type LiveRow,
} from '#server/features/billing/subscriptions/dunning-decision.ts'
import { endUnpaid } from '#server/features/billing/subscriptions/end-subscription.ts'
import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { findGateway, takesAmount } from '#server/features/billing/gateways/gateways.ts'
import { cancelAttempt } from '#server/features/billing/payments/cancel-attempt.ts'
import { describePurchase } from '#server/features/billing/records/purchase.ts'
import {
  insertOrder,
  selectOrder,
  setPeriodOfOrder,
  updateOpenOrder,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import {
  lockSubscriber,
  priceOf,
  selectOrderOfPeriod,
  selectPlannedOrder,
  selectPriceDue,
  selectRenewing,
  updateSubscription,
  type RenewingRow,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { becomePastDue } from '#server/features/billing/subscriptions/settle-renewal.ts'
import { settleAttempt } from '#server/features/billing/payments/settle-attempt.ts'
import type { PaymentMethod } from '#server/features/billing/tables.ts'

/** Lifetime of a renewal's order. It is closed with its subscription, usually long before. */
const payableMs = 30 * dayMs

/** The payment method and gateway that a subscription is charged with. */
interface Charge {
  order: OrderRow
  attempt: AttemptRow
  gateway: PaymentGateway
  methodReference: string
  purchase: string
}

type Step = { do: 'nothing' } | ({ do: 'charge' } & Charge) | { do: 'give up'; attempt: AttemptRow }

const nothing: Step = { do: 'nothing' }

/**
 * Renews a subscription or ends it: charges the next period in two transactions with the gateway call between them, so that a
 * crash in between is recovered from the stored attempt. If nothing is due, only records when to check next.
 */
export async function renewSubscription(context: BillingContext, id: string): Promise<void> {
  const step = await inTransaction(context.db, (tx) => decide(context, tx, id))
  if (step.do === 'give up') return cancelAttempt(context, step.attempt)
  if (step.do === 'nothing') return
  const { order, attempt, gateway, methodReference, purchase } = step
  const outcome = await askGateway(context, gateway, (asked) =>
    asked.chargeSavedMethod({
      key: attempt.idempotency_key,
      orderId: order.id,
      attemptId: attempt.id,
      amountCents: order.amount_cents,
      currency: order.currency,
      payer: { userId: order.user_id, email: order.email },
      methodReference,
      purchase,
    }),
  )
  await settleAttempt(context, attempt, outcome ?? 'unknown')
}

/** The first transaction: decides what is due, and for a charge stores the order and the attempt with its key. */
async function decide(context: BillingContext, tx: Tx, id: string): Promise<Step> {
  await lockSubscriber(tx, id)
  const now = context.clock.now()
  const row = await selectRenewing(tx, id)
  if (!isLive(row)) return nothing
  const order = await selectOrderOfPeriod(tx, id, row.period_no + 1)
  const attempts = order ? await selectAttempts(tx, [order.id]) : []
  const due = decideRenewal(row, { order, attempts, gateways: context.gateways }, now)
  switch (due.do) {
    case 'wait':
      return lookAgain(tx, id, due.until)
    case 'cancel attempt':
      await lookAgain(tx, id, due.until)
      return { do: 'give up', attempt: due.attempt }
    case 'note pending':
      if (order)
        await becomePastDue(context, tx, { row, order, triedAt: due.attempt.started_at, now }, 'processing')
      return lookAgain(tx, id, due.until)
    case 'await gateway':
      return awaitGateway(context, tx, row, { order, now, until: due.until })
    case 'ask for a method': {
      const owed = order ?? (await makeOrder(tx, row, null, now))
      await becomePastDue(context, tx, { row, order: owed, triedAt: now, now }, 'card_lost')
      return nothing
    }
    case 'end':
      await endUnpaid(context, tx, row, now)
      return nothing
    case 'charge':
      return beginCharge(context, tx, row, { order, number: (attempts[0]?.number ?? 0) + 1, now })
  }
}

async function lookAgain(tx: Tx, id: string, at: Date): Promise<Step> {
  await updateSubscription(tx, id, { due_at: at })
  return nothing
}

/** Leaves a subscription past due until its gateway is configured again, or the customer chooses another. */
async function awaitGateway(
  context: BillingContext,
  tx: Tx,
  row: LiveRow,
  { order: known, now, until }: { order: OrderRow | undefined; now: Date; until: Date },
): Promise<Step> {
  context.log.error(
    { subscription: row.id, gateway: row.gateway },
    'a renewal is at a gateway that is not set up',
  )
  if (row.status === 'active') {
    const order = known ?? (await makeOrder(tx, row, null, now))
    await becomePastDue(context, tx, { row, order, triedAt: now, now }, 'no_gateway')
  }
  await updateSubscription(tx, row.id, { try_at: until, due_at: until })
  return nothing
}

async function beginCharge(
  context: BillingContext,
  tx: Tx,
  row: LiveRow,
  { order: known, number, now }: { order: OrderRow | undefined; number: number; now: Date },
): Promise<Step> {
  const { log } = context
  const gateway = findGateway(context, row.gateway)
  if (!gateway || row.method_reference === null) throw new Error(`subscription ${row.id} cannot be charged`)
  const price = await selectPriceDue(tx, row, known)
  if (!takesAmount(gateway, price)) {
    const { amount_cents, currency } = price
    log.error(
      { subscription: row.id, gateway: gateway.id, amount_cents, currency },
      'a renewal has a price that its gateway does not take',
    )
    const order = known ?? (await makeOrder(tx, row, null, now))
    await becomePastDue(context, tx, { row, order, triedAt: now, now }, 'not_taken')
    return nothing
  }
  const order = known ?? (await makeOrder(tx, row, gateway.id, now))
  const way = { gateway: gateway.id, method: kindOf(gateway, row) }
  // The customer may have chosen another payment method since the last attempt.
  if (order.gateway !== way.gateway || order.method !== way.method) await updateOpenOrder(tx, order.id, way)
  const attempt = await insertAttempt(tx, {
    id: newId('att'),
    order_id: order.id,
    number,
    idempotency_key: `renew:${row.id}:${row.period_no + 1}:${number}`,
    initiator: 'merchant',
    gateway: gateway.id,
    status: 'started',
    started_at: now,
    check_at: nextPoll(0, now),
  })
  const purchase = await describePurchase(context, tx, { ...order, ...way }, { renewal: true })
  return { do: 'charge', order, attempt, gateway, methodReference: row.method_reference, purchase }
}

/** Returns the kind of a subscription's payment method, card or wallet: a wallet has no last digits. */
function kindOf({ methods }: PaymentGateway, { method_last4 }: RenewingRow): PaymentMethod {
  const [only = 'card', ...others] = methods
  if (others.length === 0) return only
  return method_last4 === null ? 'wallet' : 'card'
}

/** Returns the order for the next period: of the planned change of plan, else of the same plan. */
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
