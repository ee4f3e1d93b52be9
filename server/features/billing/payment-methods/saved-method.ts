import type { removeSavedPaymentMethod as removeCall, SavedPaymentMethod } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  revokeConsentsOfUser,
  revokeConsentsOfMethod,
  revokeOlderConsents,
  selectOpenMethodConsent,
  selectSavedMethod,
  setMethodOfConsent,
  type SavedMethodRow,
} from '#server/features/billing/records/method-consent-queries.ts'
import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { DeclineCode, Payment } from '#server/features/billing/gateways/gateway.ts'
import { findGateway, acceptsAmount, type PricedProduct } from '#server/features/billing/gateways/gateways.ts'
import { detachUnusedMethod, savePaymentMethod } from './save-payment-method.ts'
import {
  shortMethodReference,
  queueUnusedMethodsDetach,
} from '#server/features/billing/records/method-queries.ts'
import { insertWebhookEvent } from '#server/features/billing/records/webhook-event-queries.ts'
import { lockBuyer, type OrderRow } from '#server/features/billing/records/order-queries.ts'

/**
 * Saves the method of a paid one-off order, so that the buyer can pay for further purchases with it. Requires the
 * buyer's consent; without it, deletes the method at the gateway. The method replaces the buyer's previous saved
 * method.
 */
export async function saveMethodForPurchases(
  tx: Tx,
  order: OrderRow,
  attempt: AttemptRow,
  payment: Payment,
  now: Date,
): Promise<void> {
  const consent = payment.method && (await selectOpenMethodConsent(tx, order.id))
  if (!consent) return detachUnusedMethod(tx, order.user_id, attempt.gateway, payment, now)
  const methodId = await savePaymentMethod(tx, order.user_id, attempt.gateway, payment, now)
  if (methodId === null) return
  await setMethodOfConsent(tx, order.id, methodId)
  await revokeOlderConsents(tx, order.user_id, now)
  await queueUnusedMethodsDetach(tx, order.user_id, now)
  await writeAuditEvent(tx, {
    event: 'payment_method_saved',
    userId: order.user_id,
    at: now,
    details: { order_id: order.id, gateway: attempt.gateway },
  })
}

/** The declines after which a card cannot pay for anything. */
const finalDeclines: readonly DeclineCode[] = ['card_expired', 'card_lost']

/**
 * Revokes all of a user's consents to saved methods for a reason other than the user's request, such as a sign-in. The
 * methods are then not charged for purchases.
 */
export async function revokeSavedMethodConsent(
  tx: Tx,
  userId: string,
  reason: string,
  now: Date,
): Promise<void> {
  const saved = await selectSavedMethod(tx, userId)
  if (saved) await revokeSavedMethod(tx, userId, saved, now, { reason })
  // Includes the consents of unpaid orders, whose payment would otherwise save a method.
  await revokeConsentsOfUser(tx, userId, now)
}

/**
 * Removes a saved method after a final decline. After any other decline, schedules a check whether the gateway still
 * has the method, because the webhook event about its removal may have been lost.
 */
export async function removeDeclinedMethod(
  tx: Tx,
  { user_id, saved_method_id }: OrderRow,
  attempt: AttemptRow,
  reason: DeclineCode | 'failed' | 'cancelled',
  now: Date,
): Promise<void> {
  const saved = saved_method_id === null ? undefined : await selectSavedMethod(tx, user_id)
  if (saved?.id !== saved_method_id) return
  if (finalDeclines.some((one) => one === reason))
    return revokeSavedMethod(tx, user_id, saved, now, { reason })
  await insertWebhookEvent(tx, {
    gateway: saved.gateway,
    event_id: `refused:${attempt.id}`,
    reference: shortMethodReference(saved.reference),
    received_at: now,
    next_poll_at: now,
  })
}

/** Removes a saved method that its gateway does not have any more. */
export async function removeDetachedMethod(
  tx: Tx,
  userId: string,
  methodId: string,
  now: Date,
): Promise<void> {
  const saved = await selectSavedMethod(tx, userId)
  if (saved?.id === methodId) await revokeSavedMethod(tx, userId, saved, now, { reason: 'gone' })
}

/** Revokes the consent to a saved method, and deletes the method at its gateway unless a plan is charged with it. */
async function revokeSavedMethod(
  tx: Tx,
  userId: string,
  { id, gateway }: SavedMethodRow,
  now: Date,
  details: { reason?: string } = {},
): Promise<void> {
  await revokeConsentsOfMethod(tx, id, now)
  await queueUnusedMethodsDetach(tx, userId, now)
  await writeAuditEvent(tx, {
    event: 'payment_method_removed',
    userId,
    at: now,
    details: { gateway, ...details },
  })
}

/**
 * Returns the saved method that pays an order.
 * @throws Refusal savedMethodUnavailable if it was removed or has expired
 */
export async function findSavedMethod(
  db: Db,
  userId: string,
  id: string,
  now: Date,
): Promise<SavedMethodRow> {
  const saved = await selectSavedMethod(db, userId)
  if (saved?.id !== id || isExpired(saved, now)) throw new Refusal('savedMethodUnavailable')
  return saved
}

function isExpired({ expires_at }: SavedMethodRow, now: Date): boolean {
  return expires_at !== null && expires_at <= now
}

/** Returns the saved method if it can pay at least one of `prices` now, and undefined otherwise. */
export async function offerSavedMethod(
  context: Pick<BillingContext, 'gateways' | 'clock'>,
  db: Db,
  userId: string,
  prices: readonly PricedProduct[],
): Promise<SavedPaymentMethod | undefined> {
  const saved = await selectSavedMethod(db, userId)
  const gateway = findGateway(context, saved?.gateway)
  const now = context.clock.now()
  if (!saved || !gateway || isExpired(saved, now)) return undefined
  const refused = prices.filter(
    ({ cents, currency }) =>
      !cents.every((amount_cents) => acceptsAmount(gateway, { amount_cents, currency })),
  )
  if (refused.length === prices.length) return undefined
  const unsupported_products = refused.map(({ productId }) => productId)
  return {
    ...presentSavedMethod(saved, now),
    ...(unsupported_products.length > 0 ? { unsupported_products } : {}),
  }
}

/** Returns a user's saved method for their account page, even if it has expired. */
export async function loadSavedMethod(
  { db, clock }: Pick<BillingContext, 'db' | 'clock'>,
  userId: string,
): Promise<{ saved_method: SavedPaymentMethod | null }> {
  const saved = await selectSavedMethod(db, userId)
  return { saved_method: saved ? presentSavedMethod(saved, clock.now()) : null }
}

function presentSavedMethod(row: SavedMethodRow, now: Date): SavedPaymentMethod {
  const { id, gateway, brand, last4 } = row
  return { id, gateway, brand, last4, ...(isExpired(row, now) ? { expired: true } : {}) }
}

/**
 * Removes a user's saved method on request. Also deletes it at its gateway, unless a plan is charged with it.
 * Idempotent.
 */
export async function removeSavedMethod(
  context: BillingContext,
  userId: string,
  { id }: BodyOf<typeof removeCall>,
): Promise<{ saved_method: SavedPaymentMethod | null }> {
  await inTransaction(context.db, async (tx) => {
    await lockBuyer(tx, userId)
    const saved = await selectSavedMethod(tx, userId)
    if (saved?.id !== id) return
    await revokeSavedMethod(tx, userId, saved, context.clock.now())
  })
  return loadSavedMethod(context, userId)
}
