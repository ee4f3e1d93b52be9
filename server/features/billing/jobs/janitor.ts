import { dayMs, hourMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { forEachConcurrently } from '#server/platform/for-each-concurrently.ts'
import type { Db, Tx } from '#server/tables.ts'
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
/** The number of rows that a statement changes at once. */
const updateBatch = 1000
/** The number of rows that a process takes at once, and how many of them it looks up at gateways at the same time. */
const pollBatch = 40
const concurrency = 8
/** The time for which full steps are repeated. The rest remains for the next run, ten seconds later. */
const maxRepeatMs = 60_000

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

/** Processes a batch of rows. @returns whether the batch was full, so that more rows may be due */
type Step = (context: BillingContext, now: Date, signal?: AbortSignal) => Promise<boolean>

/** Creates a step that takes a batch of due rows and polls them concurrently. */
const pollStep =
  <Row extends { poll_count: number }>(
    takeDue: (tx: Tx, due: DueQuery) => Promise<Row[]>,
    poll: (context: BillingContext, row: Row) => Promise<void>,
    endPolling: (db: Db, row: Row, now: Date) => Promise<void>,
  ): Step =>
  async (context, now) => {
    const { db, log, clock } = context
    const due: DueQuery = { now, limit: pollBatch, next: (polls) => nextPoll(polls, now) }
    const rows = await inTransaction(db, (tx) => takeDue(tx, due))
    await forEachConcurrently(rows, concurrency, async (row) => {
      // A failed item is retried by its next poll, and does not block the others.
      try {
        await poll(context, row)
      } catch (error) {
        log.error({ err: error }, 'the janitor could not process an item')
      }
      if (nextPoll(row.poll_count + 1, clock.now()) !== null) return
      await endPolling(db, row, now).catch((error: unknown) =>
        log.error({ err: error }, 'the janitor could not end the polling of an item'),
      )
    })
    return rows.length === pollBatch
  }

const endPollOf =
  (table: PolledTable, column?: string) =>
  (db: Db, { id }: { id: string }, now: Date) =>
    endPoll(db, table, { id }, now, column)

const steps: readonly Step[] = [
  async ({ db }, now) => (await expireOrders(db, now, updateBatch)) === updateBatch,
  async ({ db }, now) => {
    await inTransaction(db, (tx) => expireSubscriptions(tx, new Date(now.getTime() - incompleteMs)))
    return false
  },
  async ({ db }, now, signal) => {
    await deleteOldKeys(db, new Date(now.getTime() - idempotencyKeyLifetimeMs), { signal })
    return false
  },
  async ({ db }, now, signal) => {
    await deleteOldOrderLinks(db, now, { signal })
    return false
  },
  async ({ db, limits }, now) => {
    await clearOldNetworks(db, new Date(now.getTime() - limits.cardFailuresIp.seconds * 1000))
    return false
  },
  pollStep(takeDueAttempts, pollAttempt, endPollOf('payment_attempts')),
  pollStep(takeDueMethodSetups, pollMethodSetup, endPollOf('payment_method_setups')),
  pollStep(takeDueRefunds, retryRefund, endPollOf('refunds')),
  pollStep(takeMethodsToDetach, detachMethod, endPollOf('payment_methods', 'next_detach_at')),
  pollStep(takeDueCustomerDeletions, deleteGatewayCustomer, endPollOf('gateway_customers_to_delete')),
  pollStep(takeDueWebhookEvents, retryWebhookEvent, (db, { gateway, event_id }, now) =>
    endPoll(db, 'webhook_events', { gateway, event_id }, now),
  ),
]

/**
 * Completes what a crash, a time-out or an absent user left unfinished: open payments, method setups and refunds;
 * methods and customers to delete at gateways; webhook events that were stored but not applied; expired orders and
 * subscriptions. Any number of processes may run it at any time. It never starts a payment. Repeats the steps whose
 * batch was full, but not for long, so that a catch-up is not reported as a job without success. A failed step does not
 * stop the others.
 * @throws AggregateError if a step failed
 */
export async function runJanitor(context: BillingContext, signal?: AbortSignal): Promise<void> {
  const errors: unknown[] = []
  const repeatUntil = performance.now() + maxRepeatMs
  for (let due = steps; due.length > 0;) {
    const full: Step[] = []
    for (const step of due) {
      if (signal?.aborted || (due !== steps && performance.now() > repeatUntil)) break
      try {
        if (await step(context, context.clock.now(), signal)) full.push(step)
      } catch (error) {
        errors.push(error)
      }
    }
    due = full
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '))
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
