import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import type { RenewalRow } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { graceEnd, nextRetry } from '#server/features/billing/records/renewals/dunning-schedule.ts'

/** The delay until an open payment, or a gateway that is not configured, is checked again. */
export const recheckMs = 10 * 60_000
/** After this time, a payment that waits for the user does not delay the next attempt any more. */
const userActionTimeoutMs = 60 * 60_000

/** A subscription that is active or past due, with the end of its current period. */
export type LiveRow = RenewalRow & { period_ends_at: Date; status: 'active' | 'past_due' }

export function isLive(row: RenewalRow | undefined): row is LiveRow {
  return (
    row !== undefined && row.period_ends_at !== null && (row.status === 'active' || row.status === 'past_due')
  )
}

/** The columns on which the decision about a renewal depends. */
type RenewalState = Pick<
  LiveRow,
  | 'status'
  | 'period_ends_at'
  | 'period_days'
  | 'grace_ends_at'
  | 'next_charge_at'
  | 'cancel_at_period_end'
  | 'gateway'
  | 'method_reference'
  | 'method_detached_at'
>

type Attempt = Pick<AttemptRow, 'gateway' | 'status' | 'next_poll_at' | 'started_at'>

interface RenewalInputs<A> {
  order: Pick<OrderRow, 'status'> | undefined
  /** The attempts of the order, latest first. */
  attempts: readonly A[]
  /** The gateways that are configured. */
  gateways: readonly Pick<PaymentGateway, 'id'>[]
}

type RenewalStep<A> =
  | { do: 'wait'; until: Date }
  /** Cancels the open payment at the gateway. The next decision is made at `until`. */
  | { do: 'cancel attempt'; attempt: A; until: Date }
  /** Makes the subscription past due, because the gateway takes long to process the payment. */
  | { do: 'note pending'; attempt: A; until: Date }
  /** Makes the subscription past due until its gateway is configured again. */
  | { do: 'await gateway'; until: Date }
  /** Makes the subscription past due, because its payment method was detached at the gateway. */
  | { do: 'ask for a method' }
  | { do: 'end' }
  | { do: 'charge' }

/** Decides what to do with a live subscription, given the order for its next period and that order's attempts. */
export function decideRenewal<A extends Attempt>(
  row: RenewalState,
  { order, attempts, gateways }: RenewalInputs<A>,
  now: Date,
): RenewalStep<A> {
  const isConfigured = (gateway: string | null) => gateways.some(({ id }) => id === gateway)
  const graceEndsAt = graceEndOf(row, attempts.at(-1)?.started_at ?? row.period_ends_at)
  const open = attempts.find(({ status }) => isOpen(status))
  if (open) {
    const canCancel =
      open.status === 'requires_action' && open.next_poll_at !== null && isConfigured(open.gateway)
    return decideOpenAttempt(row, { attempt: open, canCancel, graceEndsAt, now })
  }
  const nextChargeAt = row.cancel_at_period_end || row.method_reference === null ? null : row.next_charge_at
  const endsAt = row.status === 'active' ? row.period_ends_at : graceEndsAt
  const next = nextChargeAt ?? endsAt
  if (next > now) return { do: 'wait', until: next }
  const closed = order !== undefined && order.status !== 'pending'
  if (hasLostMethod(row) && !closed) return { do: 'ask for a method' }
  if (nextChargeAt === null || closed) return { do: 'end' }
  return isConfigured(row.gateway) ? { do: 'charge' } : decideMissingGateway(row, now)
}

interface OpenAttempt<A> {
  attempt: A
  /** True if the payment waits for the user and its gateway can cancel it. */
  canCancel: boolean
  graceEndsAt: Date
  now: Date
}

/**
 * Decides about a renewal with an open payment. The payment may still succeed, so no other payment is started. In the
 * meantime the subscription becomes past due, and it ends with its grace period even if the payment is still open. A
 * payment that succeeds after the end still buys a period. A payment that waits for the user is cancelled before the
 * next attempt and before the end.
 */
function decideOpenAttempt<A extends Attempt>(
  { status, next_charge_at }: RenewalState,
  { attempt, canCancel, graceEndsAt, now }: OpenAttempt<A>,
): RenewalStep<A> {
  const until = new Date(now.getTime() + recheckMs)
  const isRecent = now.getTime() - attempt.started_at.getTime() < userActionTimeoutMs
  const graceIsOver = now >= graceEndsAt
  const delaysRetry = next_charge_at !== null && next_charge_at <= now && !isRecent
  if (canCancel && (graceIsOver || delaysRetry)) return { do: 'cancel attempt', attempt, until }
  // A recent attempt may still be in progress at the gateway, even after the end of the grace period.
  if (isRecent) return { do: 'wait', until }
  if (graceIsOver) return { do: 'end' }
  return status === 'active' ? { do: 'note pending', attempt, until } : { do: 'wait', until }
}

/**
 * Waits for a missing gateway until the end of the grace period. In this time the gateway may be configured again, or
 * the subscriber may choose a method of another gateway.
 */
function decideMissingGateway(
  row: RenewalState,
  now: Date,
): { do: 'await gateway'; until: Date } | { do: 'end' } {
  const graceEndsAt = graceEndOf(row, now)
  if (now >= graceEndsAt) return { do: 'end' }
  return { do: 'await gateway', until: new Date(Math.min(now.getTime() + recheckMs, graceEndsAt.getTime())) }
}

/**
 * Returns whether the payment method of an active, uncancelled subscription was detached at the gateway. The user may
 * still add another method.
 */
function hasLostMethod(row: RenewalState): boolean {
  const { status, method_reference, method_detached_at, cancel_at_period_end: cancelled } = row
  return status === 'active' && !cancelled && method_reference === null && method_detached_at !== null
}

/**
 * Reasons after which a retry cannot succeed: the card is lost, the bank requires 3-D Secure, or the gateway does not
 * accept the amount.
 */
const finalReasons = ['card_lost', 'authentication_required', 'amount_not_supported']

interface PastDue {
  /** The new dates of the subscription. */
  change: { grace_ends_at: Date; next_charge_at: Date | null; next_run_at: Date }
  /** The mail to the subscriber, or null if there is nothing new to report. */
  mail: { template: 'renewalFailed' | 'renewalPending' | 'renewalRefused' | 'bankAsks'; date: Date } | null
}

/** Decides what follows a failed renewal: when to retry, when the subscription ends, and which mail to send. */
export function decidePastDue(
  row: RenewalState,
  { reason, triedAt, now }: { reason: string; triedAt: Date; now: Date },
): PastDue {
  const graceEndsAt = graceEndOf(row, triedAt)
  const noRetryPlanned = hasNoRetryPlanned(row)
  const nextChargeAt =
    noRetryPlanned || finalReasons.includes(reason) ? null : nextRetry(graceEndsAt, row.period_days, now)
  const graceIsOver = now >= graceEndsAt
  const change = {
    grace_ends_at: graceEndsAt,
    next_charge_at: nextChargeAt,
    next_run_at: nextChargeAt ?? (graceIsOver ? now : graceEndsAt),
  }
  if (noRetryPlanned || row.cancel_at_period_end || reason === 'not_received') return { change, mail: null }
  // The payment may still succeed, so the mail does not announce a retry.
  if (reason === 'processing' && !graceIsOver)
    return { change, mail: { template: 'renewalPending', date: graceEndsAt } }
  if (nextChargeAt) return { change, mail: { template: 'renewalFailed', date: nextChargeAt } }
  // The grace period is over, and the mail about the end of the subscription follows immediately.
  if (graceIsOver) return { change, mail: null }
  const template = reason === 'authentication_required' ? 'bankAsks' : 'renewalRefused'
  return { change, mail: { template, date: graceEndsAt } }
}

/** Returns whether a subscription is past due and no retry is planned. */
export function hasNoRetryPlanned({
  status,
  next_charge_at,
}: Pick<RenewalState, 'status' | 'next_charge_at'>): boolean {
  return status === 'past_due' && next_charge_at === null
}

/**
 * Returns the end of the grace period, which begins at the end of the paid period. If an outage delayed the first
 * attempt beyond that grace period, the grace period begins with this attempt instead.
 */
function graceEndOf({ grace_ends_at, period_ends_at, period_days }: RenewalState, triedAt: Date): Date {
  if (grace_ends_at !== null) return grace_ends_at
  const regularGraceEnd = graceEnd(period_ends_at, period_days)
  return triedAt <= regularGraceEnd ? regularGraceEnd : graceEnd(triedAt, period_days)
}
