import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import { syncEntitlementEnd } from '#server/features/billing/records/renewals/sync-entitlement-end.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { callGateway } from '#server/features/billing/gateways/call-gateway.ts'
import {
  transitionMethodSetup,
  selectMethodSetup,
  setNextStepOfMethodSetup,
  type MethodSetupRow,
} from '#server/features/billing/records/method-setup-queries.ts'
import { arrivalDeadline } from '#server/features/billing/records/polling-schedule.ts'
import type { MethodSetup } from '#server/features/billing/gateways/gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import { detachUnusedMethod, savePaymentMethod } from './save-payment-method.ts'
import { queueUnusedMethodsDetach } from '#server/features/billing/records/method-queries.ts'
import {
  lockSubscriber,
  selectSubscriptionForRenewal,
  updateSubscription,
  type RenewalRow,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { nextRetry } from '#server/features/billing/records/renewals/dunning-schedule.ts'

/**
 * The state of a setup: as the gateway reports it; `unknown` if the gateway did not answer; `never received` if the
 * gateway does not have the setup; or `out of reach` if the gateway is not configured at the last poll.
 */
type MethodSetupOutcome = MethodSetup | 'unknown' | 'never received' | 'out of reach'

/**
 * Updates a change of method and its subscription according to the setup at the gateway, in one transaction. The
 * request itself, the user's return, webhook events and the janitor call this function in any order and any number of
 * times. A method that is not needed (too late, or for a subscription that has ended) is deleted at the gateway.
 */
export async function settleMethodSetup(
  { db, clock }: BillingContext,
  setup: MethodSetupRow,
  outcome: MethodSetupOutcome,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockSubscriber(tx, setup.subscription_id)
    const current = await selectMethodSetup(tx, setup.id)
    if (!current) throw new Error(`method change ${setup.id} does not exist`)
    await applyOutcome(tx, current, outcome, clock.now())
  })
}

async function applyOutcome(
  tx: Tx,
  setup: MethodSetupRow,
  outcome: MethodSetupOutcome,
  now: Date,
): Promise<void> {
  const { id } = setup
  if (outcome === 'unknown') {
    if (setup.status === 'started') await transitionMethodSetup(tx, id, 'unknown')
    return
  }
  if (outcome === 'never received') {
    if (isOpen(setup.status)) await closeMethodSetup(tx, setup, 'failed', { decline_code: 'not_received' })
    return
  }
  if (outcome === 'out of reach') {
    if (isOpen(setup.status)) await closeMethodSetup(tx, setup, 'cancelled', { decline_code: 'no_gateway' })
    return
  }
  const { status, reference, next, decline } = outcome
  if (status === 'succeeded') return applySavedMethod(tx, setup, outcome, now)
  if (!isOpen(setup.status)) return
  const nextStep = next ? JSON.stringify(next) : null
  if (setup.status === status) return setNextStepOfMethodSetup(tx, id, nextStep)
  if (status === 'failed' || status === 'cancelled')
    return closeMethodSetup(tx, setup, status, { reference, decline_code: decline ?? status })
  await transitionMethodSetup(tx, id, status, { reference, next_step: nextStep })
}

function closeMethodSetup(
  tx: Tx,
  { id }: MethodSetupRow,
  to: 'failed' | 'cancelled' | 'succeeded',
  changes: { reference?: string; decline_code?: string },
) {
  return transitionMethodSetup(tx, id, to, { ...changes, next_step: null, next_poll_at: null })
}

/**
 * Applies a setup that succeeded. Deletes the method at the gateway if the change was already closed, the subscription
 * has ended, or the user has chosen another method since.
 */
async function applySavedMethod(
  tx: Tx,
  setup: MethodSetupRow,
  gatewaySetup: MethodSetup,
  now: Date,
): Promise<void> {
  if (setup.status === 'succeeded') return
  const inTime = isOpen(setup.status)
  const { reference, method } = gatewaySetup
  if (!method) {
    // Stripe reports success without a method if the card's customer has been deleted in the meantime.
    if (inTime) await closeMethodSetup(tx, setup, 'failed', { reference, decline_code: 'other' })
    return
  }
  const row = await selectSubscriptionForRenewal(tx, setup.subscription_id)
  if (row && inTime && isStillWanted(row, setup)) {
    await closeMethodSetup(tx, setup, 'succeeded', { reference })
    return setSubscriptionMethod(tx, row, { setup, gatewaySetup, now })
  }
  if (inTime) await closeMethodSetup(tx, setup, 'cancelled', { reference, decline_code: 'not_wanted' })
  await detachUnusedMethod(tx, setup.user_id, setup.gateway, gatewaySetup, now)
}

function isStillWanted(
  { status, method_chosen_at: chosenAt }: RenewalRow,
  { started_at }: MethodSetupRow,
): boolean {
  const isLive = status === 'active' || status === 'past_due'
  return isLive && (chosenAt === null || chosenAt <= started_at)
}

interface SavedSetup {
  setup: MethodSetupRow
  gatewaySetup: MethodSetup
  now: Date
}

/**
 * Sets the subscription's payment method, without charging it. An unpaid renewal is retried on its dunning schedule,
 * even if no further attempt with the old method was planned.
 */
async function setSubscriptionMethod(
  tx: Tx,
  row: RenewalRow,
  { setup, gatewaySetup, now }: SavedSetup,
): Promise<void> {
  const methodId = await savePaymentMethod(tx, setup.user_id, setup.gateway, gatewaySetup, now)
  const nextChargeAt = row.next_charge_at ?? nextRetryOf(row, now)
  await updateSubscription(tx, row.id, {
    payment_method_id: methodId,
    method_chosen_at: setup.started_at,
    method_detached_at: null,
    next_charge_at: nextChargeAt,
    next_run_at: now,
  })
  await queueUnusedMethodsDetach(tx, setup.user_id, now)
  await writeAuditEvent(tx, {
    event: 'payment_method_changed',
    userId: setup.user_id,
    at: now,
    details: { subscription_id: row.id, gateway: setup.gateway },
  })
  await syncEntitlementEnd(tx, { ...row, gateway: setup.gateway, method_detached_at: null })
}

function nextRetryOf({ status, grace_ends_at, period_days }: RenewalRow, now: Date): Date | null {
  return status === 'past_due' && grace_ends_at ? nextRetry(grace_ends_at, period_days, now) : null
}

/**
 * Returns whether the gateway of a change is configured. Otherwise, the change can be neither queried nor cancelled.
 */
export function isGatewayConfigured({ gateways }: BillingContext, { gateway }: MethodSetupRow): boolean {
  return gateways.some(({ id }) => id === gateway)
}

/**
 * Queries an open change at its gateway, completes it if the user has approved it, and settles it.
 * @returns whether the gateway answered
 */
export async function recheckMethodSetup(context: BillingContext, setup: MethodSetupRow): Promise<boolean> {
  const gateway = findGateway(context, setup.gateway)
  if (!gateway) {
    logMissingGateway(context, setup)
    return false
  }
  const { id: setupId, reference, started_at: startedAt } = setup
  const outcome = await callGateway(context, gateway, ({ methodSetups }) => {
    if (reference === null) return methodSetups.retrieve({ key: methodSetupKey(setup), setupId, startedAt })
    return setup.status === 'requires_action'
      ? methodSetups.complete(reference)
      : methodSetups.retrieve({ reference })
  })
  if (outcome === null && reference === null && context.clock.now() < arrivalDeadline(startedAt)) return true
  await settleMethodSetup(context, setup, outcome ?? 'never received')
  return outcome !== 'unknown'
}

/**
 * Cancels a change that waits for the user, because the user has started another change or has not returned. If the
 * change has succeeded in the meantime, settles it as succeeded.
 */
export async function cancelMethodSetup(context: BillingContext, setup: MethodSetupRow): Promise<void> {
  const { reference } = setup
  const gateway = findGateway(context, setup.gateway)
  if (reference === null || !gateway) {
    await recheckMethodSetup(context, setup)
    return
  }
  const outcome = await callGateway(context, gateway, ({ methodSetups }) => methodSetups.cancel(reference))
  await settleMethodSetup(context, setup, outcome ?? 'never received')
}

/** Returns the idempotency key of a change at the gateway. */
export const methodSetupKey = ({ id }: Pick<MethodSetupRow, 'id'>) => `method:${id}`

function logMissingGateway({ log }: BillingContext, { id, gateway }: MethodSetupRow): void {
  log.error({ change: id, gateway }, 'an open change of payment method uses a gateway that is not configured')
}
