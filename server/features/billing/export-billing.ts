import type { Db } from '#server/tables.ts'
import {
  selectChangesToExport,
  selectMethodsToExport,
  selectOrdersToExport,
  selectRefundsToExport,
  selectSubscriptionsToExport,
} from './moment-queries.ts'

/** What billing keeps of a person, oldest first. Of a card that is its brand and last four digits. */
export async function exportBilling(db: Db, userId: string): Promise<Record<string, unknown>> {
  const [orders, refunds, subscriptions, payment_methods, method_changes] = await Promise.all([
    selectOrdersToExport(db, userId),
    selectRefundsToExport(db, userId),
    selectSubscriptionsToExport(db, userId),
    selectMethodsToExport(db, userId),
    selectChangesToExport(db, userId),
  ])
  return { orders, refunds, subscriptions, payment_methods, method_changes }
}
