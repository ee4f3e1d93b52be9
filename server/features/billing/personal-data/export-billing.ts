import { mapPages, readPages, type Pages } from '#server/platform/database/read-pages.ts'
import type { Db } from '#server/tables.ts'
import {
  selectAgreementsToExport,
  selectAutoUnlocksToExport,
  selectChangesToExport,
  selectEntriesToExport,
  selectMethodsToExport,
  selectOrdersToExport,
  selectRefundsToExport,
  selectSubscriptionsToExport,
  type AfterRow,
} from './personal-data-queries.ts'

/** What billing keeps of a person, oldest first. Of a card that is its brand and last four digits. */
export async function exportBilling(db: Db, userId: string): Promise<Record<string, unknown>> {
  const list = <Row extends { id: string }>(
    select: (db: Db, userId: string, after: AfterRow | undefined, limit: number) => Promise<Row[]>,
    timeOf: (row: Row) => Date,
  ) => readPages<Row>((last, limit) => select(db, userId, last && { id: last.id, at: timeOf(last) }, limit))
  return {
    orders: list(selectOrdersToExport, (row) => row.created_at),
    refunds: withoutIds(list(selectRefundsToExport, (row) => row.created_at)),
    subscriptions: list(selectSubscriptionsToExport, (row) => row.created_at),
    payment_methods: withoutIds(list(selectMethodsToExport, (row) => row.created_at)),
    balance_entries: withoutIds(list(selectEntriesToExport, (row) => row.at)),
    auto_unlocks: withoutIds(list(selectAutoUnlocksToExport, (row) => row.created_at)),
    method_agreements: withoutIds(list(selectAgreementsToExport, (row) => row.agreed_at)),
    method_changes: withoutIds(list(selectChangesToExport, (row) => row.started_at)),
  }
}

function withoutIds<Row extends { id: string }>(pages: Pages<Row>) {
  return mapPages(pages, ({ id: _id, ...row }) => row)
}
