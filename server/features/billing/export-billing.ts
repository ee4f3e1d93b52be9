import type { Db } from '#server/tables.ts'
import { selectMethodsToExport, selectOrdersToExport, selectSubscriptionsToExport } from './moment-queries.ts'

/** What billing keeps of a person, oldest first. Of a card that is its brand and last four digits. */
export async function exportBilling(db: Db, userId: string): Promise<Record<string, unknown>> {
  const [orders, subscriptions, payment_methods] = await Promise.all([
    selectOrdersToExport(db, userId),
    selectSubscriptionsToExport(db, userId),
    selectMethodsToExport(db, userId),
  ])
  return { orders, subscriptions, payment_methods }
}
