import type { OrderGatewayId } from '#contract/billing.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import {
  insertPaymentMethod,
  insertUnusedMethod,
  queueUnusedMethodsDetach,
} from '#server/features/billing/records/method-queries.ts'

/**
 * Stores the method that a gateway saved with a payment or setup.
 * @returns its id, or null if the gateway saved none
 */
export async function savePaymentMethod(
  tx: Tx,
  userId: string,
  gateway: OrderGatewayId,
  { method }: Pick<Payment, 'method'>,
  now: Date,
): Promise<string | null> {
  return method ? insertPaymentMethod(tx, rowOf(userId, gateway, method, now)) : null
}

/** Queues the deletion of a method at its gateway, unless a subscription or a consent uses the method. */
export async function detachUnusedMethod(
  tx: Tx,
  userId: string,
  gateway: OrderGatewayId,
  { method }: Pick<Payment, 'method'>,
  now: Date,
): Promise<void> {
  if (!method) return
  await insertUnusedMethod(tx, rowOf(userId, gateway, method, now))
  await queueUnusedMethodsDetach(tx, userId, now)
}

function rowOf(
  user_id: string,
  gateway: OrderGatewayId,
  { reference, brand, last4, expiresAt }: NonNullable<Payment['method']>,
  created_at: Date,
) {
  if (gateway === 'balance') throw new Error('a payment from the balance has no method to save')
  return {
    id: newId('pm'),
    user_id,
    gateway,
    reference,
    brand,
    last4,
    expires_at: expiresAt ?? null,
    created_at,
  }
}
