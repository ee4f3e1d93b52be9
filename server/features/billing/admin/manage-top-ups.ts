import { Refusal } from '#contract/errors.ts'
import type { SoldTopUp } from '#contract/studio/top-ups.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  insertTopUp,
  lockTopUp,
  selectAllTopUps,
  updateTopUp,
  type TopUpRow,
} from '#server/features/billing/balance/top-up-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { isPayable } from '#server/features/billing/gateways/gateways.ts'

/** The terms of sale of a top-up. Existing orders keep theirs. */
export type TopUpTerms = Pick<TopUpRow, 'price_cents' | 'bonus_cents' | 'bonus_days' | 'position'>

type Seller = Pick<BillingContext, 'gateways' | 'clock'>

/** Lists the top-ups on sale, then the archived ones. */
export async function listTopUpsForAdmin(db: Db): Promise<SoldTopUp[]> {
  return (await selectAllTopUps(db)).map(present)
}

/** Puts a top-up on sale. @throws Refusal amountNotTaken where no gateway takes such an amount */
export async function addTopUp(
  seller: Seller,
  tx: Tx,
  terms: TopUpTerms & { currency: string },
): Promise<SoldTopUp> {
  checkAmount(seller, terms)
  const row = { id: newId('top'), ...terms, retired_at: null }
  await insertTopUp(tx, row)
  return present(row)
}

/** Changes a top-up for future orders. @throws Refusal notFound, amountNotTaken */
export async function changeTopUpTerms(
  seller: Seller,
  tx: Tx,
  id: string,
  change: Partial<TopUpTerms>,
): Promise<{ topUp: SoldTopUp; before: SoldTopUp }> {
  const row = await lockOnSale(tx, id)
  const changed = { ...row, ...change }
  checkAmount(seller, changed)
  if (Object.keys(change).length > 0) await updateTopUp(tx, id, change)
  return { topUp: present(changed), before: present(row) }
}

/** Takes a top-up off sale. @throws Refusal notFound */
export async function retireTopUp({ clock }: Seller, tx: Tx, id: string): Promise<SoldTopUp> {
  const row = await lockOnSale(tx, id)
  const retired_at = clock.now()
  await updateTopUp(tx, id, { retired_at })
  return present({ ...row, retired_at })
}

async function lockOnSale(tx: Tx, id: string): Promise<TopUpRow> {
  const row = await lockTopUp(tx, id)
  if (!row || row.retired_at !== null) throw new Refusal('notFound')
  return row
}

function checkAmount(
  { gateways }: Pick<Seller, 'gateways'>,
  { price_cents: amount_cents, currency }: Pick<TopUpRow, 'price_cents' | 'currency'>,
): void {
  if (!isPayable({ gateways }, { amount_cents, currency }))
    throw new Refusal('amountNotTaken', { field: 'price_cents' })
}

const present = ({ retired_at, ...row }: TopUpRow): SoldTopUp => ({
  ...row,
  retired_at: retired_at?.toISOString() ?? null,
})
