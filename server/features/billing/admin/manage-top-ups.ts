import { Refusal } from '#contract/errors.ts'
import type { StudioTopUp } from '#contract/studio/top-ups.ts'
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

/** The terms of sale of a top-up. Existing orders keep the terms with which they were created. */
export type TopUpTerms = Pick<TopUpRow, 'price_cents' | 'bonus_cents' | 'bonus_days' | 'position'>

type TopUpContext = Pick<BillingContext, 'gateways' | 'clock'>

/** Lists the top-ups on sale, then the archived ones. */
export async function listTopUpsForAdmin(db: Db): Promise<StudioTopUp[]> {
  return (await selectAllTopUps(db)).map(presentTopUp)
}

/** Puts a top-up on sale. @throws Refusal amountNotSupported if no gateway accepts such an amount */
export async function addTopUp(
  context: TopUpContext,
  tx: Tx,
  terms: TopUpTerms & { currency: string },
): Promise<StudioTopUp> {
  checkAmount(context, terms)
  const row = { id: newId('top'), ...terms, archived_at: null }
  await insertTopUp(tx, row)
  return presentTopUp(row)
}

/**
 * Changes a top-up for future orders.
 * @throws Refusal notFound; editConflict if the top-up is archived; amountNotSupported as in `addTopUp`
 */
export async function changeTopUpTerms(
  context: TopUpContext,
  tx: Tx,
  id: string,
  change: Partial<TopUpTerms>,
): Promise<{ topUp: StudioTopUp; before: StudioTopUp }> {
  const row = await lockActiveTopUp(tx, id)
  const changed = { ...row, ...change }
  checkAmount(context, changed)
  if (Object.keys(change).length > 0) await updateTopUp(tx, id, change)
  return { topUp: presentTopUp(changed), before: presentTopUp(row) }
}

/** Takes a top-up off sale. @throws Refusal notFound; editConflict if the top-up is already archived */
export async function archiveTopUp({ clock }: TopUpContext, tx: Tx, id: string): Promise<StudioTopUp> {
  const row = await lockActiveTopUp(tx, id)
  const archived_at = clock.now()
  await updateTopUp(tx, id, { archived_at })
  return presentTopUp({ ...row, archived_at })
}

async function lockActiveTopUp(tx: Tx, id: string): Promise<TopUpRow> {
  const row = await lockTopUp(tx, id)
  if (!row) throw new Refusal('notFound')
  if (row.archived_at !== null) throw new Refusal('editConflict')
  return row
}

function checkAmount(
  { gateways }: Pick<TopUpContext, 'gateways'>,
  { price_cents: amount_cents, currency }: Pick<TopUpRow, 'price_cents' | 'currency'>,
): void {
  if (!isPayable({ gateways }, { amount_cents, currency }))
    throw new Refusal('amountNotSupported', { field: 'price_cents' })
}

const presentTopUp = ({ archived_at, ...row }: TopUpRow): StudioTopUp => ({
  ...row,
  archived_at: archived_at?.toISOString() ?? null,
})
