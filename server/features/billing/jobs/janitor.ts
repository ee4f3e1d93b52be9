import { dayMs, hourMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import {
  pollAgainAt,
  selectAttempt,
  takeDueAttempts,
  type AttemptRow,
} from '#server/features/billing/records/attempt-queries.ts'
import { isOpen, openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { clearOldNetworks } from '#server/features/billing/payment-methods/card-failure-queries.ts'
import {
  selectMethodSetup,
  takeDueMethodSetups,
  type MethodSetupRow,
} from '#server/features/billing/records/method-setup-queries.ts'
import { endPoll, type DueQuery, type PolledTable } from '#server/features/billing/records/polling-queries.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { detachMethod } from '#server/features/billing/payment-methods/detach-at-gateway.ts'
import { deleteGatewayCustomer } from '#server/features/billing/payment-methods/delete-gateway-customer.ts'
import { cancelAttempt } from '#server/features/billing/payments/cancel-attempt.ts'
import { deleteOldKeys } from '#server/features/billing/checkout/idempotency-queries.ts'
import { takeMethodsToDetach } from '#server/features/billing/records/method-queries.ts'
import {
  isUnappliedWebhookEvent,
  takeDueWebhookEvents,
} from '#server/features/billing/records/webhook-event-queries.ts'
import { deleteOldOrderLinks } from '#server/features/billing/mails/order-link-queries.ts'
import { expireOrders, selectOrder } from '#server/features/billing/records/order-queries.ts'
import { takeDueCustomerDeletions } from '#server/features/billing/records/gateway-customer-queries.ts'
import {
  selectRefunds,
  takeDueRefunds,
  type RefundRow,
} from '#server/features/billing/records/refund-queries.ts'
import { sendRefund } from '#server/features/billing/refunds/send-refund.ts'
import {
  cancelMethodSetup,
  isGatewayConfigured,
  recheckMethodSetup,
  settleMethodSetup,
} from '#server/features/billing/payment-methods/settle-method-setup.ts'
import { recheckAttempt } from '#server/features/billing/payments/settle-attempt.ts'
import {
  expireSubscriptions,
  selectSubscription,
} from '#server/features/billing/records/renewals/subscription-queries.ts'
import { applyWebhookEvent } from '#server/features/billing/webhooks/receive-webhook.ts'

/** Time limit for the first payment of a subscription. */
const incompleteMs = 23 * hourMs
const idempotencyKeyLifetimeMs = 7 * dayMs
const batch = 20

const isOpenStatus = `status IN (${openAttemptStatuses.map((status) => `'${status}'`).join(', ')})`
const msAgo = (ms: number) => `$1 - interval '${ms} milliseconds'`

/**
 * The rows that the janitor's steps process. They may include some rows without work. An index supports each condition.
 */
const janitorRows = [
  "orders WHERE status = 'pending' AND expires_at <= $1",
  `subscriptions WHERE status = 'incomplete' AND created_at <= ${msAgo(incompleteMs)}`,
  `idempotency_keys WHERE created_at < ${msAgo(idempotencyKeyLifetimeMs)}`,
  'order_links WHERE expires_at <= $1',
  'payment_attempts WHERE network_hash IS NOT NULL',
  'payment_method_setups WHERE network_hash IS NOT NULL',
  `payment_attempts WHERE ${isOpenStatus} AND next_poll_at <= $1`,
  `payment_method_setups WHERE ${isOpenStatus} AND next_poll_at <= $1`,
  "refunds WHERE status = 'started' AND next_poll_at <= $1",
  'payment_methods WHERE next_detach_at <= $1',
  'gateway_customers_to_delete WHERE next_poll_at <= $1',
  'webhook_events WHERE applied_at IS NULL AND next_poll_at <= $1',
]

/** SQL condition: the janitor may have work. */
export const hasJanitorWork = janitorRows.map((rows) => `EXISTS (SELECT FROM ${rows})`).join(' OR ')

type WebhookEventRow = Awaited<ReturnType<typeof takeDueWebhookEvents>>[number]

/**
 * Completes what a crash, a time-out or an absent user left unfinished: open payments, method setups and refunds;
 * methods and customers to delete at gateways; webhook events that were stored but not applied; expired orders and
 * subscriptions. Any number of processes may run it at any time. It never starts a payment.
 */
export async function runJanitor(context: BillingContext): Promise<void> {
  const { db, clock } = context
  const now = clock.now()
  const due: DueQuery = { now, limit: batch, next: (polls) => nextPoll(polls, now) }
  const endPollOf =
    (table: PolledTable, column?: string) =>
    ({ id }: { id: string }) =>
      endPoll(db, table, { id }, now, column)
  await expireOrders(db, now)
  await inTransaction(db, (tx) => expireSubscriptions(tx, new Date(now.getTime() - incompleteMs)))
  await inTransaction(db, (tx) => deleteOldKeys(tx, new Date(now.getTime() - idempotencyKeyLifetimeMs)))
  await deleteOldOrderLinks(db, now)
  await clearOldNetworks(db, new Date(now.getTime() - context.limits.cardFailuresIp.seconds * 1000))
  const attempts = await inTransaction(db, (tx) => takeDueAttempts(tx, due))
  await processEach(
    context,
    attempts,
    (attempt) => pollAttempt(context, attempt),
    endPollOf('payment_attempts'),
  )
  const setups = await inTransaction(db, (tx) => takeDueMethodSetups(tx, due))
  await processEach(
    context,
    setups,
    (setup) => pollMethodSetup(context, setup),
    endPollOf('payment_method_setups'),
  )
  const refunds = await inTransaction(db, (tx) => takeDueRefunds(tx, due))
  await processEach(context, refunds, (refund) => retryRefund(context, refund), endPollOf('refunds'))
  const methods = await inTransaction(db, (tx) => takeMethodsToDetach(tx, due))
  await processEach(
    context,
    methods,
    (method) => detachMethod(context, method),
    endPollOf('payment_methods', 'next_detach_at'),
  )
  const customers = await inTransaction(db, (tx) => takeDueCustomerDeletions(tx, due))
  await processEach(
    context,
    customers,
    (customer) => deleteGatewayCustomer(context, customer),
    endPollOf('gateway_customers_to_delete'),
  )
  const webhookEvents = await inTransaction(db, (tx) => takeDueWebhookEvents(tx, due))
  await processEach(
    context,
    webhookEvents,
    (webhookEvent) => retryWebhookEvent(context, webhookEvent),
    ({ gateway, event_id }) => endPoll(db, 'webhook_events', { gateway, event_id }, now),
  )
}

/**
 * Processes items one by one. A failed item is logged and retried later, and does not block the others.
 * @param endPolling runs after the last poll of an item
 */
async function processEach<T extends { poll_count: number }>(
  { log, clock }: BillingContext,
  items: readonly T[],
  work: (item: T) => Promise<void>,
  endPolling: (item: T) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    await work(item).catch((error: unknown) =>
      log.error({ err: error }, 'the janitor could not process an item'),
    )
    if (nextPoll(item.poll_count + 1, clock.now()) === null) await endPolling(item)
  }
}

async function pollAttempt(context: BillingContext, attempt: AttemptRow): Promise<void> {
  const { db, log, clock } = context
  await recheckAttempt(context, attempt)
  const current = await selectAttempt(db, attempt.id)
  if (!current || !isOpen(current.status)) return
  const order = await selectOrder(db, attempt.order_id)
  const last = nextPoll(attempt.poll_count + 1, clock.now()) === null
  if (current.status === 'requires_action' && (last || order?.status !== 'pending'))
    return cancelAttempt(context, current)
  // The payment will become final, so it is polled again in a day. Until then it is listed as a discrepancy.
  if (last && current.status === 'processing')
    await pollAgainAt(db, attempt.id, new Date(clock.now().getTime() + dayMs))
  if (last)
    log.error(
      { attempt: attempt.id, status: current.status },
      'a payment is still open after the last poll; look it up at the gateway',
    )
}

async function pollMethodSetup(context: BillingContext, setup: MethodSetupRow): Promise<void> {
  const { db, log, clock } = context
  await recheckMethodSetup(context, setup)
  const current = await selectMethodSetup(db, setup.id)
  if (!current || !isOpen(current.status)) return
  const subscription = await selectSubscription(db, current.subscription_id)
  const isLive = subscription?.status === 'active' || subscription?.status === 'past_due'
  const last = nextPoll(setup.poll_count + 1, clock.now()) === null
  // A gateway that is not configured cannot be queried. Its setup is closed after the last poll, although it may have
  // succeeded at the gateway.
  if (!isGatewayConfigured(context, current))
    return last ? settleMethodSetup(context, current, 'out of reach') : undefined
  if (current.status === 'requires_action' && (last || !isLive)) return cancelMethodSetup(context, current)
  if (last)
    log.error(
      { change: setup.id, status: current.status },
      'a change of payment method is still open after the last poll; look it up at the gateway',
    )
}

async function retryWebhookEvent(context: BillingContext, webhookEvent: WebhookEventRow): Promise<void> {
  const { gateway, event_id: event, poll_count } = webhookEvent
  try {
    await applyWebhookEvent(context, webhookEvent)
  } finally {
    const last = nextPoll(poll_count + 1, context.clock.now()) === null
    if (last && (await isUnappliedWebhookEvent(context.db, gateway, event)))
      context.log.error(
        { gateway, event, reference: webhookEvent.reference },
        'a webhook event was abandoned after the last retry; look up its payment at the gateway',
      )
  }
}

async function retryRefund(context: BillingContext, refund: RefundRow): Promise<void> {
  await sendRefund(context, refund)
  if (nextPoll(refund.poll_count + 1, context.clock.now()) !== null) return
  const refunds = await selectRefunds(context.db, refund.attempt_id)
  if (refunds.some(({ id, status }) => id === refund.id && status !== 'succeeded'))
    context.log.error(
      { refund: refund.id, attempt: refund.attempt_id },
      'a refund failed after the last retry; look it up at the gateway',
    )
}
