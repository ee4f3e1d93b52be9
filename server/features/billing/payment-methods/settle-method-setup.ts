import { writeAudit } from '#server/platform/database/audit.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import { syncAccessEnd } from '#server/features/billing/records/renewals/access-end.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { askGateway } from '#server/features/billing/gateways/call-gateway.ts'
import {
  moveMethodSetup,
  selectMethodSetup,
  setNextStepOfMethodSetup,
  type MethodSetupRow,
} from '#server/features/billing/records/method-setup-queries.ts'
import { whenLost } from '#server/features/billing/records/polling-schedule.ts'
import type { MethodSetup } from '#server/features/billing/gateways/gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import { detachUnwanted, savePaymentMethod } from './save-payment-method.ts'
import { retireUnusedMethods } from '#server/features/billing/records/method-queries.ts'
import {
  lockSubscriber,
  selectRenewing,
  updateSubscription,
  type RenewingRow,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { nextTry } from '#server/features/billing/records/renewals/dunning-schedule.ts'

/**
 * The result of a set-up: as the gateway reports it, unknown, or never received by the gateway; or the gateway was not
 * configured as long as the set-up was polled.
 */
type Verdict = MethodSetup | 'unknown' | 'never received' | 'out of reach'

/**
 * Updates a change of method and its subscription to what the gateway has saved, in one commit. The request itself, the user's
 * return, notifications and the janitor call it in any order and any number of times. An unneeded method (too late, or of an
 * ended subscription) is deleted at the gateway.
 */
export async function settleMethodSetup(
  { db, clock }: BillingContext,
  change: MethodSetupRow,
  verdict: Verdict,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockSubscriber(tx, change.subscription_id)
    const current = await selectMethodSetup(tx, change.id)
    if (!current) throw new Error(`method change ${change.id} is gone`)
    await apply(tx, current, verdict, clock.now())
  })
}

async function apply(tx: Tx, change: MethodSetupRow, verdict: Verdict, now: Date): Promise<void> {
  const { id } = change
  if (verdict === 'unknown') {
    if (change.status === 'started') await moveMethodSetup(tx, id, 'unknown')
    return
  }
  if (verdict === 'never received') {
    if (isOpen(change.status)) await close(tx, change, 'failed', { decline_code: 'not_received' })
    return
  }
  if (verdict === 'out of reach') {
    if (isOpen(change.status)) await close(tx, change, 'cancelled', { decline_code: 'no_gateway' })
    return
  }
  const { status, reference, next, decline } = verdict
  if (status === 'succeeded') return applyKept(tx, change, verdict, now)
  if (!isOpen(change.status)) return
  const nextStep = next ? JSON.stringify(next) : null
  if (change.status === status) return setNextStepOfMethodSetup(tx, id, nextStep)
  if (status === 'failed' || status === 'cancelled')
    return close(tx, change, status, { reference, decline_code: decline ?? status })
  await moveMethodSetup(tx, id, status, { reference, next_step: nextStep })
}

function close(
  tx: Tx,
  { id }: MethodSetupRow,
  to: 'failed' | 'cancelled' | 'succeeded',
  more: { reference?: string; decline_code?: string },
) {
  return moveMethodSetup(tx, id, to, { ...more, next_step: null, check_at: null })
}

/** Applies a saved method. A late one is not charged if it was reported as failed, or the user has chosen another since. */
async function applyKept(tx: Tx, change: MethodSetupRow, saving: MethodSetup, now: Date): Promise<void> {
  if (change.status === 'succeeded') return
  const inTime = isOpen(change.status)
  const { reference, method } = saving
  if (!method) {
    // Stripe reports this for a card whose customer was deleted since.
    if (inTime) await close(tx, change, 'failed', { reference, decline_code: 'other' })
    return
  }
  const row = await selectRenewing(tx, change.subscription_id)
  if (row && inTime && isWanted(row, change)) {
    await close(tx, change, 'succeeded', { reference })
    return charge(tx, row, { change, saving, now })
  }
  if (inTime) await close(tx, change, 'cancelled', { reference, decline_code: 'not_wanted' })
  await detachUnwanted(tx, change.user_id, change.gateway, saving, now)
}

function isWanted(
  { status, method_chosen_at: chosen }: RenewingRow,
  { started_at }: MethodSetupRow,
): boolean {
  const lives = status === 'active' || status === 'past_due'
  return lives && (chosen === null || chosen <= started_at)
}

interface Chosen {
  change: MethodSetupRow
  saving: MethodSetup
  now: Date
}

/**
 * Charges the subscription with the method from now on. Nothing is charged here: an unpaid renewal is retried on its dunning
 * schedule, even if no further attempt with the old card was planned.
 */
async function charge(tx: Tx, row: RenewingRow, { change, saving, now }: Chosen): Promise<void> {
  const methodId = await savePaymentMethod(tx, change.user_id, change.gateway, saving, now)
  const tryAt = row.try_at ?? tryOf(row, now)
  await updateSubscription(tx, row.id, {
    payment_method_id: methodId,
    method_chosen_at: change.started_at,
    method_detached_at: null,
    try_at: tryAt,
    due_at: now,
  })
  await retireUnusedMethods(tx, change.user_id, now)
  await writeAudit(tx, {
    event: 'payment_method_changed',
    userId: change.user_id,
    at: now,
    details: { subscription_id: row.id, gateway: change.gateway },
  })
  await syncAccessEnd(tx, { ...row, gateway: change.gateway, method_detached_at: null })
}

function tryOf({ status, grace_ends_at, period_days }: RenewingRow, now: Date): Date | null {
  return status === 'past_due' && grace_ends_at ? nextTry(grace_ends_at, period_days, now) : null
}

/** Returns whether the gateway is still configured; otherwise it can neither report nor cancel a change. */
export function isWithinReach({ gateways }: BillingContext, { gateway }: MethodSetupRow): boolean {
  return gateways.some(({ id }) => id === gateway)
}

/** Queries an open change at its gateway, completes it if it waited for the user, and settles it. @returns whether the gateway answered */
export async function recheckMethodSetup(context: BillingContext, change: MethodSetupRow): Promise<boolean> {
  const gateway = findGateway(context, change.gateway)
  if (!gateway) {
    noGateway(context, change)
    return false
  }
  const { id: changeId, reference, started_at: startedAt } = change
  const outcome = await askGateway(context, gateway, ({ methodSetups }) => {
    if (reference === null) return methodSetups.retrieve({ key: keyOf(change), changeId, startedAt })
    return change.status === 'requires_action'
      ? methodSetups.complete(reference)
      : methodSetups.retrieve({ reference })
  })
  if (outcome === null && reference === null && context.clock.now() < whenLost(startedAt)) return true
  await settleMethodSetup(context, change, outcome ?? 'never received')
  return outcome !== 'unknown'
}

/** Cancels a change that waits for a user who does something else, or never came back. It may still have succeeded. */
export async function cancelMethodSetup(context: BillingContext, change: MethodSetupRow): Promise<void> {
  const { reference } = change
  const gateway = findGateway(context, change.gateway)
  if (reference === null || !gateway) {
    await recheckMethodSetup(context, change)
    return
  }
  const outcome = await askGateway(context, gateway, ({ methodSetups }) => methodSetups.cancel(reference))
  await settleMethodSetup(context, change, outcome ?? 'never received')
}

/** Returns the idempotency key of a change at the gateway. */
export const keyOf = ({ id }: Pick<MethodSetupRow, 'id'>) => `method:${id}`

function noGateway({ log }: BillingContext, { id, gateway }: MethodSetupRow): void {
  log.error({ change: id, gateway }, 'an open change of method is at a gateway that is not set up')
}
