import type { GatewayId } from '#contract/billing.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import type { Payment } from './gateway.ts'
import { insertPaymentMethod } from './method-queries.ts'

/** Keeps the method that a gateway kept with a payment. @returns its id, or null where none was kept */
export async function keepMethod(
  tx: Tx,
  userId: string,
  gateway: GatewayId,
  { method }: Payment,
): Promise<string | null> {
  if (!method) return null
  const { reference, brand, last4 } = method
  return insertPaymentMethod(tx, { id: newId('pm'), user_id: userId, gateway, reference, brand, last4 })
}
