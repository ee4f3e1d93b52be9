import { sql } from 'kysely'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { inProgressStatuses } from '#server/features/billing/states/attempt-states.ts'
import { applyWebhookEvent, receiveWebhook } from '#server/features/billing/webhooks/receive-webhook.ts'
import { signEvent } from '#server/features/billing/gateways/sandbox/webhooks.ts'
import type { BillingHarness, WebhookEvent } from './billing-harness.ts'

const underWay = sql.join(inProgressStatuses)

/** Maximum number of rounds. Jobs that find work for longer have a bug and would never finish. */
const maxRounds = 200

/** Advances the time of a running site. The jobs run when they are due. */
export async function advanceTime(harness: BillingHarness, milliseconds: number): Promise<void> {
  const end = harness.now() + milliseconds
  for (let round = 0; ; round++) {
    const due = await nextDueAt(harness)
    if (due === null || due > end) break
    if (round === maxRounds) throw new Error(`the jobs still find work after ${maxRounds} rounds`)
    harness.advanceClock(Math.max(due - harness.now(), 0) + 1)
    await runJobs(harness)
  }
  harness.advanceClock(Math.max(end - harness.now(), 0))
}

export async function runJobs({ context }: BillingHarness): Promise<void> {
  await runJanitor(context)
  await renewDueSubscriptions(context)
}

/** Returns the time at which a job next has work. An order with a payment in progress does not expire. */
async function nextDueAt({ db }: BillingHarness): Promise<number | null> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT least(
      (SELECT min(next_run_at) FROM subscriptions WHERE status IN ('active', 'past_due')),
      (SELECT min(next_poll_at) FROM payment_attempts WHERE status IN ('started', 'requires_action', 'processing', 'unknown')),
      (SELECT min(next_poll_at) FROM refunds WHERE status = 'started'),
      (SELECT min(next_poll_at) FROM payment_method_setups WHERE status IN ('started', 'requires_action', 'processing', 'unknown')),
      (SELECT min(next_poll_at) FROM webhook_events WHERE applied_at IS NULL),
      (SELECT min(expires_at) FROM orders WHERE status = 'pending'
        AND (period_no IS NOT NULL OR subscription_id IS NULL)
        AND NOT EXISTS (SELECT FROM payment_attempts WHERE order_id = orders.id AND status IN (${underWay}))),
      (SELECT min(created_at) + interval '23 hours' FROM subscriptions WHERE status = 'incomplete')
    ) AS at`.execute(db)
  return rows[0]?.at?.getTime() ?? null
}

/** Delivers a webhook event. With `crashesBeforeApply`, the site only stores it; the janitor job applies it later. */
export async function deliverWebhook(
  harness: BillingHarness,
  event: WebhookEvent,
  crashesBeforeApply = false,
): Promise<void> {
  const { context, sandbox, gateway } = harness
  const { body, headers } = signEvent(sandbox, event.reference)
  event.delivered = true
  const received = await receiveWebhook(context, gateway, Buffer.from(body), headers)
  if (!received) throw new Error('the site refused a signed webhook event')
  if (!crashesBeforeApply) await applyWebhookEvent(context, received)
}

/** Delivers the delayed requests and webhook events, then runs the jobs until no work is open. */
export async function runUntilSettled(harness: BillingHarness): Promise<void> {
  harness.line.fault = 'none'
  await deliverLateRequests(harness)
  for (const event of harness.events)
    if (!event.delivered && !event.dropped) await deliverWebhook(harness, event)
  for (
    let due = await nextPollAt(harness), round = 0;
    due !== null;
    due = await nextPollAt(harness), round++
  ) {
    if (round === maxRounds) throw new Error(`unfinished work is still open after ${maxRounds} rounds`)
    harness.advanceClock(Math.max(due - harness.now(), 0) + 1)
    await runJobs(harness)
  }
  await reconcile(harness.context)
  await advanceTime(harness, 0)
}

/** Returns the time of the next poll of unfinished work; null if there is none. */
async function nextPollAt({ db }: BillingHarness): Promise<number | null> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT min(next_poll_at) AS at FROM (
      SELECT next_poll_at FROM payment_attempts WHERE status IN ('started', 'requires_action', 'processing', 'unknown')
      UNION ALL SELECT next_poll_at FROM refunds WHERE status = 'started'
      UNION ALL SELECT next_poll_at FROM payment_method_setups WHERE status IN ('started', 'requires_action', 'processing', 'unknown')
      UNION ALL SELECT next_poll_at FROM webhook_events WHERE applied_at IS NULL
    ) open_work`.execute(db)
  return rows[0]?.at?.getTime() ?? null
}

/** Delivers the delayed requests to the gateway. */
export async function deliverLateRequests({ late }: BillingHarness): Promise<void> {
  for (const request of late.splice(0)) await request().catch(() => undefined)
}
