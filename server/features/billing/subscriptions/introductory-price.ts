import { attemptKey } from '#server/platform/database/attempt-limits.ts'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { selectUsedIntroductoryPrice, claimIntroductoryPrices } from './introductory-price-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

type HashContext = Pick<BillingContext, 'secret'>

/** Hashes an address or a card, which cannot be derived from it; the hash outlasts the deletion of the account. */
const hashOf = ({ secret }: HashContext, kind: 'email' | 'method', value: string) =>
  attemptKey(secret, `introduction-${kind}`, value)

const hashOfEmail = (context: HashContext, email: string) =>
  hashOf(context, 'email', emailLookupKey(email.trim()))

/** Returns whether an e-mail is still eligible for an introductory price: once for each address. */
export async function isEligibleForIntroductoryPrice(
  context: HashContext,
  db: Db,
  email: string,
): Promise<boolean> {
  return (await selectUsedIntroductoryPrice(db, hashOfEmail(context, email))) === undefined
}

/**
 * Records that an order used its introductory price, by its e-mail and by the card or wallet, which is known only after the
 * payment.
 * @returns false if another order used it before with one of them; the e-mail counts as used then too
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
