import { attemptKey } from '#server/platform/database/attempt-limits.ts'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { selectUsedIntroductoryPrice, claimIntroductoryPrices } from './introductory-price-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

type HashContext = Pick<BillingContext, 'secret'>

/**
 * Hashes an e-mail address or a card. The original value cannot be derived from the hash, which remains stored after
 * the account is deleted.
 */
const hashOf = ({ secret }: HashContext, kind: 'email' | 'method', value: string) =>
  attemptKey(secret, `introduction-${kind}`, value)

const hashOfEmail = (context: HashContext, email: string) =>
  hashOf(context, 'email', emailLookupKey(email.trim()))

/** Returns whether an e-mail address can still get an introductory price. Each address gets it only once. */
export async function isEligibleForIntroductoryPrice(
  context: HashContext,
  db: Db,
  email: string,
): Promise<boolean> {
  return (await selectUsedIntroductoryPrice(db, hashOfEmail(context, email))) === undefined
}

/**
 * Records the e-mail address and the card or wallet of an order that used the introductory price, even if another order
 * has used them before. The card or wallet is known only after the payment.
 * @returns false if another order has already used an introductory price with this address, card or wallet
 */
export function claimIntroductoryPrice(
  context: HashContext,
  tx: Tx,
  order: OrderRow,
  { method }: Payment,
): Promise<boolean> {
  const hashes = [hashOfEmail(context, order.email)]
  if (method?.fingerprint !== undefined)
    hashes.push(hashOf(context, 'method', `${order.gateway}|${method.fingerprint}`))
  return claimIntroductoryPrices(tx, order.id, hashes)
}
