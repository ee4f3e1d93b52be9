import type { Db } from '#server/tables.ts'
import {
  selectPlanIncludingArchived,
  type PlanRow,
} from '#server/features/billing/records/product-queries.ts'
import { selectPlannedOrder, type RenewalRow } from './renewal-queries.ts'

/** The next charge of a subscription: plan, amount and time. */
export interface NextCharge {
  plan: PlanRow
  cents: number
  currency: string
  at: Date
}

/**
 * Returns the next charge of a subscription, or null if nothing will be charged. Assumes that the subscription's state
 * does not change until then.
 */
export async function loadNextCharge(db: Db, row: RenewalRow): Promise<NextCharge | null> {
  if (!row.period_ends_at || row.method_reference === null || row.cancel_at_period_end) return null
  const planned = await selectPlannedOrder(db, row.id)
  return {
    plan: await selectPlanIncludingArchived(db, planned?.plan_id ?? row.plan_id),
    cents: planned?.amount_cents ?? row.price_cents,
    currency: planned?.currency ?? row.currency,
    at: row.period_ends_at,
  }
}
