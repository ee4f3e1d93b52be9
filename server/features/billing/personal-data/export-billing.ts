import { mapPages, type Pages } from '#server/platform/database/read-pages.ts'
import type { Db } from '#server/tables.ts'
import {
  readMethodConsents,
  readAutoUnlocks,
  readBalanceEntries,
  readMethodSetups,
  readPaymentMethods,
  readOrders,
  readRefunds,
  readSubscriptions,
} from './personal-data-queries.ts'

/** Returns the billing data of a user, oldest first. The exported payment methods have no gateway references. */
export async function exportBilling(db: Db, userId: string): Promise<Record<string, unknown>> {
  return {
    orders: readOrders(db, userId),
    refunds: withoutIds(readRefunds(db, userId)),
    subscriptions: readSubscriptions(db, userId),
    payment_methods: withoutIds(readPaymentMethods(db, userId)),
    balance_entries: withoutIds(readBalanceEntries(db, userId)),
    auto_unlocks: withoutIds(readAutoUnlocks(db, userId)),
    payment_method_consents: withoutIds(readMethodConsents(db, userId)),
    payment_method_setups: withoutIds(readMethodSetups(db, userId)),
  }
}

function withoutIds<Row extends { id: string }>(pages: Pages<Row>) {
  return mapPages(pages, ({ id: _id, ...row }) => row)
}
