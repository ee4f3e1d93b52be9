import type { removeSavedMethod as removeCall, SavedMethod } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import { writeAudit } from '#server/platform/database/audit.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  revokeAgreements,
  revokeAgreementsAbout,
  revokeFormerAgreements,
  selectOpenAgreement,
  selectSavedMethod,
  setMethodOfAgreement,
  type SavedMethodRow,
} from '#server/features/billing/records/agreement-queries.ts'
import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { DeclineCode, Payment } from '#server/features/billing/gateways/gateway.ts'
import { findGateway, takesAmount, type Priced } from '#server/features/billing/gateways/gateways.ts'
import { detachUnwanted, savePaymentMethod } from './save-payment-method.ts'
import { nameOfMethod, retireUnusedMethods } from '#server/features/billing/records/method-queries.ts'
import { insertWebhookEvent } from '#server/features/billing/records/webhook-event-queries.ts'
import { lockBuyer, type OrderRow } from '#server/features/billing/records/order-queries.ts'

/**
 * Saves the card that paid a one-off order in place of the buyer's previous one, if they agreed to that. A card that the
 * gateway saved without consent is deleted there.
 */
export async function saveForPurchases(
  tx: Tx,
  order: OrderRow,
  attempt: AttemptRow,
  payment: Payment,
  now: Date,
): Promise<void> {
  const agreed = payment.method && (await selectOpenAgreement(tx, order.id))
  if (!agreed) return detachUnwanted(tx, order.user_id, attempt.gateway, payment, now)
  const methodId = await savePaymentMethod(tx, order.user_id, attempt.gateway, payment, now)
  if (methodId === null) return
  await setMethodOfAgreement(tx, order.id, methodId)
  await revokeFormerAgreements(tx, order.user_id, now)
  await retireUnusedMethods(tx, order.user_id, now)
  await writeAudit(tx, {
    event: 'payment_method_saved',
    userId: order.user_id,
    at: now,
    details: { order_id: order.id, gateway: attempt.gateway },
  })
}

/** Declines after which a card can no longer pay for anything. */
const final: readonly DeclineCode[] = ['card_expired', 'card_lost']

/** Revokes all of a user's consents about saved methods without their request: the cards are no longer charged for purchases. */
export async function revokeSavedMethodConsent(
  tx: Tx,
  userId: string,
  reason: string,
  now: Date,
): Promise<void> {
  const saved = await selectSavedMethod(tx, userId)
  if (saved) await revokeSaved(tx, userId, saved, now, { reason })
  // Otherwise unpaid orders would save a method.
  await revokeAgreements(tx, userId, now)
}

/**
 * Removes a saved method that its bank has declined for good. After any other decline its gateway is queried soon, because the
 * notification that the method is gone may never have arrived.
 */
export async function dropRefused(
  tx: Tx,
  { user_id, saved_method_id }: OrderRow,
  attempt: AttemptRow,
  reason: DeclineCode | 'failed' | 'cancelled',
  now: Date,
): Promise<void> {
  const saved = saved_method_id === null ? undefined : await selectSavedMethod(tx, user_id)
  if (saved?.id !== saved_method_id) return
  if (final.some((one) => one === reason)) return revokeSaved(tx, user_id, saved, now, { reason })
  await insertWebhookEvent(tx, {
    gateway: saved.gateway,
    event_id: `refused:${attempt.id}`,
    reference: nameOfMethod(saved.reference),
    received_at: now,
    check_at: now,
  })
}

/** Removes a saved method that its gateway no longer has. */
export async function dropGone(tx: Tx, userId: string, methodId: string, now: Date): Promise<void> {
  const saved = await selectSavedMethod(tx, userId)
  if (saved?.id === methodId) await revokeSaved(tx, userId, saved, now, { reason: 'gone' })
}

/** Revokes the consent about a saved method and deletes it at its gateway, unless a plan is charged with it. */
async function revokeSaved(
  tx: Tx,
  userId: string,
  { id, gateway }: SavedMethodRow,
  now: Date,
  details: { reason?: string } = {},
): Promise<void> {
  await revokeAgreementsAbout(tx, id, now)
  await retireUnusedMethods(tx, userId, now)
  await writeAudit(tx, { event: 'payment_method_removed', userId, at: now, details: { gateway, ...details } })
}

/** Returns the saved method that is to pay an order. @throws Refusal savedMethodGone if it was removed or has expired */
export async function findSavedMethod(
  db: Db,
  userId: string,
  id: string,
  now: Date,
): Promise<SavedMethodRow> {
  const saved = await selectSavedMethod(db, userId)
  if (saved?.id !== id || isExpired(saved, now)) throw new Refusal('savedMethodGone')
  return saved
}

function isExpired({ expires_at }: SavedMethodRow, now: Date): boolean {
  return expires_at !== null && expires_at <= now
}

/** Returns the saved method if it can pay at least one of `prices` now; otherwise undefined. */
export async function offerSavedMethod(
  context: Pick<BillingContext, 'gateways' | 'clock'>,
  db: Db,
  userId: string,
  prices: readonly Priced[],
): Promise<SavedMethod | undefined> {
  const saved = await selectSavedMethod(db, userId)
  const gateway = findGateway(context, saved?.gateway)
  const now = context.clock.now()
  if (!saved || !gateway || isExpired(saved, now)) return undefined
  const refused = prices.filter(
    ({ cents, currency }) => !cents.every((amount_cents) => takesAmount(gateway, { amount_cents, currency })),
  )
  if (refused.length === prices.length) return undefined
  const not_for = refused.map(({ what }) => what)
  return { ...present(saved, now), ...(not_for.length > 0 ? { not_for } : {}) }
}

/** Returns a user's saved method for their account page, even if expired. */
export async function loadSavedMethod(
  { db, clock }: Pick<BillingContext, 'db' | 'clock'>,
  userId: string,
): Promise<{ saved_method: SavedMethod | null }> {
  const saved = await selectSavedMethod(db, userId)
  return { saved_method: saved ? present(saved, clock.now()) : null }
}

function present(row: SavedMethodRow, now: Date): SavedMethod {
  const { id, gateway, brand, last4 } = row
  return { id, gateway, brand, last4, ...(isExpired(row, now) ? { expired: true } : {}) }
}

/** Revokes the consent about a saved method and deletes it at its gateway, unless a plan is charged with it. Idempotent. */
export async function removeSavedMethod(
  context: BillingContext,
  userId: string,
  { id }: BodyOf<typeof removeCall>,
): Promise<{ saved_method: SavedMethod | null }> {
  await inTransaction(context.db, async (tx) => {
    await lockBuyer(tx, userId)
    const saved = await selectSavedMethod(tx, userId)
    if (saved?.id !== id) return
    await revokeSaved(tx, userId, saved, context.clock.now())
  })
  return loadSavedMethod(context, userId)
}
