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
import { callGateway } from '#server/features/billing/gateways/call-gateway.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import {
  decideRenewal,
  isLive,
  type LiveRow,
} from '#server/features/billing/subscriptions/dunning-decision.ts'
import { endUnpaidSubscription } from '#server/features/billing/subscriptions/end-subscription.ts'
import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { findGateway, acceptsAmount } from '#server/features/billing/gateways/gateways.ts'
import { cancelAttempt } from '#server/features/billing/payments/cancel-attempt.ts'
import { encodePurchase } from '#server/features/billing/records/purchase-metadata.ts'
import {
  insertOrder,
  selectOrder,
  setPeriodOfOrder,
  updateOpenOrder,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import {
  lockSubscriber,
  currentPlanPrice,
  selectOrderOfPeriod,
  selectPlannedOrder,
  selectNextPrice,
  selectSubscriptionForRenewal,
  updateSubscription,
  type RenewalRow,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { becomePastDue } from '#server/features/billing/subscriptions/settle-renewal.ts'
import { settleAttempt } from '#server/features/billing/payments/settle-attempt.ts'
import type { PaymentMethod } from '#server/features/billing/tables.ts'

/** Lifetime of a renewal's order. The order usually ends much earlier, together with its subscription. */
const orderLifetimeMs = 30 * dayMs

/** A renewal with a stored attempt, which must be sent to the gateway. */
interface Charge {
  order: OrderRow
  attempt: AttemptRow
  gateway: PaymentGateway
  methodReference: string
  purchase: string
}

type Step = { do: 'nothing' } | ({ do: 'charge' } & Charge) | { do: 'cancel'; attempt: AttemptRow }

const noStep: Step = { do: 'nothing' }

/**
 * Renews a subscription, or ends it. A charge takes two transactions with the gateway call between them. After a crash,
 * the stored attempt is used to find out whether the charge was made. If nothing is due, only stores the time of the
 * next check.
 */
export async function renewSubscription(context: BillingContext, id: string): Promise<void> {
  const step = await inTransaction(context.db, (tx) => prepareStep(context, tx, id))
  if (step.do === 'cancel') return cancelAttempt(context, step.attempt)
  if (step.do === 'nothing') return
  const { order, attempt, gateway, methodReference, purchase } = step
  const outcome = await callGateway(context, gateway, (client) =>
    client.chargeSavedMethod({
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

/**
 * The first transaction: decides what to do. For a charge, stores the order and the attempt with its idempotency key.
 */
async function prepareStep(context: BillingContext, tx: Tx, id: string): Promise<Step> {
  await lockSubscriber(tx, id)
  const now = context.clock.now()
  const row = await selectSubscriptionForRenewal(tx, id)
  if (!isLive(row)) return noStep
  const order = await selectOrderOfPeriod(tx, id, row.period_no + 1)
  const attempts = order ? await selectAttempts(tx, [order.id]) : []
  const renewalStep = decideRenewal(row, { order, attempts, gateways: context.gateways }, now)
  switch (renewalStep.do) {
    case 'wait':
      return postponeCheck(tx, id, renewalStep.until)
    case 'cancel attempt':
      await postponeCheck(tx, id, renewalStep.until)
      return { do: 'cancel', attempt: renewalStep.attempt }
    case 'note pending':
      if (order)
        await becomePastDue(
          context,
          tx,
          { row, order, triedAt: renewalStep.attempt.started_at, now },
          'processing',
        )
      return postponeCheck(tx, id, renewalStep.until)
    case 'await gateway':
      return waitForGateway(context, tx, row, { order, now, until: renewalStep.until })
    case 'ask for a method': {
      const unpaidOrder = order ?? (await createRenewalOrder(tx, row, now))
      await becomePastDue(context, tx, { row, order: unpaidOrder, triedAt: now, now }, 'card_lost')
      return noStep
    }
    case 'end':
      await endUnpaidSubscription(context, tx, row, now)
      return noStep
    case 'charge':
      return beginCharge(context, tx, row, { order, number: (attempts[0]?.number ?? 0) + 1, now })
  }
}

async function postponeCheck(tx: Tx, id: string, at: Date): Promise<Step> {
  await updateSubscription(tx, id, { next_run_at: at })
  return noStep
}

/** Makes a subscription past due until its gateway is configured again or the customer chooses another method. */
async function waitForGateway(
  context: BillingContext,
  tx: Tx,
  row: LiveRow,
  { order: existingOrder, now, until }: { order: OrderRow | undefined; now: Date; until: Date },
): Promise<Step> {
  context.log.error(
    { subscription: row.id, gateway: row.gateway },
    'a renewal uses a gateway that is not configured',
  )
  if (row.status === 'active') {
    const order = existingOrder ?? (await createRenewalOrder(tx, row, now))
    await becomePastDue(context, tx, { row, order, triedAt: now, now }, 'no_gateway')
  }
  await updateSubscription(tx, row.id, { next_charge_at: until, next_run_at: until })
  return noStep
}

async function beginCharge(
  context: BillingContext,
  tx: Tx,
  row: LiveRow,
  { order: existingOrder, number, now }: { order: OrderRow | undefined; number: number; now: Date },
): Promise<Step> {
  const { log } = context
  const gateway = findGateway(context, row.gateway)
  // Stryker disable next-line all: decideRenewal requests a charge only for a saved method of a configured gateway
  if (!gateway || row.method_reference === null) throw new Error(`subscription ${row.id} cannot be charged`)
  const price = await selectNextPrice(tx, row, existingOrder)
  if (!acceptsAmount(gateway, price)) {
    const { amount_cents, currency } = price
    log.error(
      { subscription: row.id, gateway: gateway.id, amount_cents, currency },
      'a renewal has a price that its gateway does not accept',
    )
    const order = existingOrder ?? (await createRenewalOrder(tx, row, now))
    await becomePastDue(context, tx, { row, order, triedAt: now, now }, 'amount_not_supported')
    return noStep
  }
  const order = existingOrder ?? (await createRenewalOrder(tx, row, now))
  const paymentMethod = { gateway: gateway.id, method: methodKindOf(gateway, row) }
  // The customer may have chosen another payment method since the previous period or attempt.
  if (order.gateway !== paymentMethod.gateway || order.method !== paymentMethod.method)
    await updateOpenOrder(tx, order.id, paymentMethod)
  const attempt = await insertAttempt(tx, {
    id: newId('att'),
    order_id: order.id,
    number,
    idempotency_key: `renew:${row.id}:${row.period_no + 1}:${number}`,
    initiator: 'merchant',
    gateway: gateway.id,
    status: 'started',
    started_at: now,
    next_poll_at: nextPoll(0, now),
  })
  const purchase = await encodePurchase(context, tx, { ...order, ...paymentMethod }, { renewal: true })
  return { do: 'charge', order, attempt, gateway, methodReference: row.method_reference, purchase }
}

/**
 * Returns whether a subscription is paid by card or wallet. If the gateway supports both, a method with last digits is
 * a card.
 */
function methodKindOf({ methods }: PaymentGateway, { method_last4 }: RenewalRow): PaymentMethod {
  const kind = method_last4 === null ? 'wallet' : 'card'
  return methods.includes(kind) ? kind : (methods[0] ?? kind)
}

/**
 * Creates the order for the next period, with the gateway and method of the previous order. If a change of plan is
 * planned, its order gets the period instead.
 */
async function createRenewalOrder(tx: Tx, row: RenewalRow, now: Date): Promise<OrderRow> {
  const period = row.period_no + 1
  const payableUntil = new Date(now.getTime() + orderLifetimeMs)
  const planned = await selectPlannedOrder(tx, row.id)
  const previousOrder = await selectOrderOfPeriod(tx, row.id, row.period_no)
  if (!previousOrder) throw new Error(`subscription ${row.id} has no order for its period ${row.period_no}`)
  const id = planned?.id ?? newId('ord')
  if (planned)
    await setPeriodOfOrder(tx, id, {
      period_no: period,
      expires_at: payableUntil,
      gateway: previousOrder.gateway,
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
      ...currentPlanPrice(row),
      gateway: previousOrder.gateway,
      method: previousOrder.method,
      email: row.email ?? previousOrder.email,
      attribution: '{}',
      created_at: now,
      expires_at: payableUntil,
    })
  const order = await selectOrder(tx, id)
  // Stryker disable next-line all: the order was created or changed in this transaction
  if (!order) throw new Error(`order ${id} was not found after its creation`)
  return order
}
