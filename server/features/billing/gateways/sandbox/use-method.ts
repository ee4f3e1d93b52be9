import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import type { Tx } from '#server/tables.ts'
import { randomHex } from '#server/platform/ids.ts'
import { presentChargeResult, type ChargeResult } from './cards.ts'
import * as queries from './queries.ts'

/** A method that was charged or saved, and the simulated response of its bank or wallet. */
export interface MethodUse {
  methodId: string | null
  result: ChargeResult
}

/** Converts a saved method to the form that `PaymentGateway` returns. */
export function presentMethod(
  reference: string,
  {
    brand,
    last4,
    card_expires_at: expiresAt,
  }: { brand: string | null; last4: string | null; card_expires_at: Date | null },
): NonNullable<Payment['method']> {
  return { reference, brand, last4, ...(expiresAt ? { expiresAt } : {}) }
}

export const newReference = (kind: 'spay' | 'ssav' | 'smeth') => `${kind}_${randomHex()}`

export async function useToken(tx: Tx, token: string, now: Date): Promise<MethodUse> {
  const card = await queries.consumeToken(tx, token, now)
  if (!card) return { methodId: null, result: { status: 'failed', decline: 'token_already_used' } }
  const methodId = newReference('smeth')
  await queries.insertMethod(tx, { id: methodId, ...card })
  return { methodId, result: presentChargeResult(card.behaviour) }
}

export async function useWallet(tx: Tx): Promise<MethodUse> {
  const methodId = newReference('smeth')
  await queries.insertMethod(tx, { id: methodId, behaviour: 'pays', brand: 'wallet', last4: null })
  return { methodId, result: { status: 'requires_action' } }
}
