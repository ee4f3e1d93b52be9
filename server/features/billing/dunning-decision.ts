import type { AttemptRow } from './attempt-queries.ts'
import { isOpen } from './attempt-states.ts'
import type { OrderRow } from './order-queries.ts'
import type { RenewingRow } from './renewal-queries.ts'
import { graceEnd, nextTry } from './renewal-schedule.ts'

/** How long is waited before a payment that is still open, or a gateway that is not set up, is looked at again. */
export const againMs = 10 * 60_000
/** After this long, a payment that waits for the person no longer delays the next try. */
const patienceMs = 60 * 60_000

/** A subscription that has a period which ends. */
export type LiveRow = RenewingRow & { period_ends_at: Date; status: 'active' | 'past_due' }

export function isLive(row: RenewingRow | undefined): row is LiveRow {
  return (
    row !== undefined && row.period_ends_at !== null && (row.status === 'active' || row.status === 'past_due')
  )
}

/** What the decision about a subscription depends on. */
type Decided = Pick<
  LiveRow,
  | 'status'
  | 'period_ends_at'
  | 'period_days'
  | 'grace_ends_at'
  | 'try_at'
  | 'cancel_at_period_end'
  | 'method_reference'
  | 'method_lost_at'
>

type Attempt = Pick<AttemptRow, 'status' | 'check_at' | 'started_at'>

type RenewalStep<A> =
  | { do: 'wait'; until: Date }
  /** Waits too, while the gateway is asked to cancel a payment. */
  | { do: 'cancel attempt'; attempt: A; until: Date }
  /** Becomes past due, since the gateway lost the payment method. */
  | { do: 'ask for a method' }
  | { do: 'end' }
  | { do: 'charge' }

/** Decides what is due about a live subscription, given the order for its next period and that order's attempts. */
export function decideRenewal<A extends Attempt>(
  row: Decided,
  { order, attempts }: { order: Pick<OrderRow, 'status'> | undefined; attempts: readonly A[] },
  now: Date,
): RenewalStep<A> {
  const graceEndsAt = row.grace_ends_at ?? graceEnd(row.period_ends_at, row.period_days)
  const open = attempts.find(({ status }) => isOpen(status))
  if (open) return awaitAttempt(row, open, graceEndsAt, now)
  const tryAt = row.cancel_at_period_end || row.method_reference === null ? null : row.try_at
  const endsAt = row.status === 'active' ? row.period_ends_at : graceEndsAt
  const next = tryAt ?? endsAt
  if (next > now) return { do: 'wait', until: next }
  const closed = order !== undefined && order.status !== 'pending'
  if (hasLostMethod(row) && !closed) return { do: 'ask for a method' }
  return tryAt === null || closed ? { do: 'end' } : { do: 'charge' }
}

/**
 * An open payment may still move money, so there is no other beside it. One that waits for the person is cancelled once
 * the grace is over; one whose outcome nobody could find out does not keep the subscription for ever.
 */
function awaitAttempt<A extends Attempt>(
  { try_at }: Decided,
  attempt: A,
  graceEndsAt: Date,
  now: Date,
): RenewalStep<A> {
  const over = now >= graceEndsAt
  if (over && attempt.check_at === null) return { do: 'end' }
  const until = new Date(now.getTime() + againMs)
  const isPatient = now.getTime() - attempt.started_at.getTime() < patienceMs
  const delaysTry = try_at !== null && try_at <= now && !isPatient
  const cancels = attempt.status === 'requires_action' && (over || delaysTry)
  return cancels ? { do: 'cancel attempt', attempt, until } : { do: 'wait', until }
}

/** Nobody wanted it to end: the gateway lost its payment method, and another may follow. */
function hasLostMethod(row: Decided): boolean {
  const { status, method_reference, method_lost_at, cancel_at_period_end: cancelled } = row
  return status === 'active' && !cancelled && method_reference === null && method_lost_at !== null
}

/** After these no other try is made: the card is gone for good, the bank requires the person, or the gateway takes no such amount. */
const finalReasons = ['card_lost', 'check_needed', 'not_taken']

interface PastDue {
  /** The dates of the subscription from now on. */
  change: { grace_ends_at: Date; try_at: Date | null; due_at: Date }
  /** What the subscriber is sent, where there is something new to say. */
  mail: { template: 'renewalFailed' | 'renewalRefused' | 'bankAsks'; date: Date } | null
}

/** Decides what follows a renewal that failed: when it is tried again, until when the subscription stays, and which mail is sent. */
export function decidePastDue(
  row: Decided,
  { reason, triedAt, now }: { reason: string; triedAt: Date; now: Date },
): PastDue {
  const graceEndsAt = row.grace_ends_at ?? firstGrace(row, triedAt)
  const stopped = isStopped(row)
  const tryAt = stopped || finalReasons.includes(reason) ? null : nextTry(graceEndsAt, row.period_days, now)
  const over = now >= graceEndsAt
  const change = { grace_ends_at: graceEndsAt, try_at: tryAt, due_at: tryAt ?? (over ? now : graceEndsAt) }
  if (stopped || row.cancel_at_period_end || reason === 'not_received') return { change, mail: null }
  if (tryAt) return { change, mail: { template: 'renewalFailed', date: tryAt } }
  // Once the grace is over, the mail about the end is sent at once.
  if (over) return { change, mail: null }
  const template = reason === 'check_needed' ? 'bankAsks' : 'renewalRefused'
  return { change, mail: { template, date: graceEndsAt } }
}

/** Whether no other try is planned for a subscription that is past due. */
export function isStopped({ status, try_at }: Pick<Decided, 'status' | 'try_at'>): boolean {
  return status === 'past_due' && try_at === null
}

/** From the period's end; after an outage that was longer, from the first try. */
function firstGrace({ period_ends_at, period_days }: Decided, triedAt: Date): Date {
  const usual = graceEnd(period_ends_at, period_days)
  return triedAt <= usual ? usual : graceEnd(triedAt, period_days)
}
