import type { OrderGatewayId } from '#contract/billing.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import {
  insertPaymentMethod,
  insertUnwantedMethod,
  retireUnusedMethods,
} from '#server/features/billing/records/method-queries.ts'

/** Keeps the method that a gateway kept, with a payment or without. @returns its id, or null where none was kept */
export async function savePaymentMethod(
  tx: Tx,
  userId: string,
  gateway: OrderGatewayId,
  { method }: Pick<Payment, 'method'>,
  now: Date,
): Promise<string | null> {
  return method ? insertPaymentMethod(tx, rowOf(userId, gateway, method, now)) : null
}

/** Has the method forgotten that a gateway kept with what comes to nothing, unless it is charged for something else. */
export async function detachUnwanted(
  tx: Tx,
  userId: string,
  gateway: OrderGatewayId,
  { method }: Pick<Payment, 'method'>,
  now: Date,
): Promise<void> {
  if (!method) return
  await insertUnwantedMethod(tx, rowOf(userId, gateway, method, now))
  await retireUnusedMethods(tx, userId, now)
}

function rowOf(
  user_id: string,
  gateway: OrderGatewayId,
  { reference, brand, last4, expiresAt }: NonNullable<Payment['method']>,
  created_at: Date,
) {
  if (gateway === 'balance') throw new Error('the balance saves no method')
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
