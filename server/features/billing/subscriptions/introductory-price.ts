import { keyFor } from '#server/platform/database/limits.ts'
import { foldEmail } from '#server/platform/email-address.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { selectIntroductoryPrice, takeIntroductoryPrices } from './introductory-price-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

type Keeper = Pick<BillingContext, 'secret'>

/** Neither the address nor the card can be read from it; it stays when its person leaves. */
const hashOf = ({ secret }: Keeper, kind: 'email' | 'method', value: string) =>
  keyFor(secret, `introduction-${kind}`, value)

const hashOfEmail = (context: Keeper, email: string) => hashOf(context, 'email', foldEmail(email.trim()))

/** Whether an e-mail may still have an introductory price: once for each (billing.md, "What a viewer is owed"). */
export async function isEligibleForIntroductoryPrice(
  context: Keeper,
  db: Db,
  email: string,
): Promise<boolean> {
  return (await selectIntroductoryPrice(db, hashOfEmail(context, email))) === undefined
}

/**
 * Notes that an order had its introductory price, by its e-mail and by the card or wallet, which nobody knows before it
 * has paid. @returns false where one of them had it before, with another order; the e-mail has had it then too
 */
export function takeIntroductoryPrice(
  context: Keeper,
  tx: Tx,
  order: OrderRow,
  { method }: Payment,
): Promise<boolean> {
  const hashes = [hashOfEmail(context, order.email)]
  if (method?.fingerprint !== undefined)
    hashes.push(hashOf(context, 'method', `${order.gateway}|${method.fingerprint}`))
  return takeIntroductoryPrices(tx, order.id, hashes)
}
