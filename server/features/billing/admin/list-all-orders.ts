import { textInLanguage, type Language } from '#contract/languages.ts'
import type { Dispute, ListedOrder } from '#contract/studio/orders.ts'
import { csvLine } from '#server/platform/csv.ts'
import type { PagePosition } from '#server/platform/database/prepared-page.ts'
import { readPage, type Paging } from '#server/platform/read-page.ts'
import type { Db } from '#server/tables.ts'
import { selectAllOrders, selectDisputes, type OrderListRow, type OrderFilter } from './order-list-queries.ts'
import { disputeUrl } from '#server/features/billing/gateways/dispute-url.ts'
import type { DisputeStatus } from '#server/features/billing/tables.ts'

/** The language of an operator's lists, and whether the operator may see the e-mail addresses of buyers. */
export interface OrderViewOptions {
  language: Language
  canSeeCustomers: boolean
}

export interface Page<Row> {
  list: Row[]
  next_cursor: string | null
}

/** Lists the orders of all users, latest first. @throws Fault invalidCursor, also for a cursor of another filter */
export async function listAllOrders(
  db: Db,
  filter: OrderFilter,
  paging: Paging,
  viewOptions: OrderViewOptions,
): Promise<Page<ListedOrder>> {
  const cursorScope = cursorScopeOf(filter)
  const read = (after: PagePosition | undefined, limit: number) => selectAllOrders(db, filter, after, limit)
  const { page, next_cursor } = await readPage(cursorScope, paging, read, ({ created_at, id }) => [
    created_at,
    id,
  ])
  return { list: page.map((row) => presentOrderListItem(row, viewOptions)), next_cursor }
}

const cursorScopeOf = (filter: OrderFilter) => `all orders ${JSON.stringify(filter)}`

/** Lists the payments whose dispute has the given state, latest payment first. @throws Fault invalidCursor */
export async function listDisputes(
  db: Db,
  state: DisputeStatus,
  paging: Paging,
  viewOptions: OrderViewOptions,
): Promise<Page<Dispute>> {
  const read = (after: PagePosition | undefined, limit: number) => selectDisputes(db, state, after, limit)
  const { page, next_cursor } = await readPage(`disputes ${state}`, paging, read, (row) => [
    row.started_at,
    row.attempt_id,
  ])
  const list = page.map((row) => ({
    attempt_id: row.attempt_id,
    order: presentOrderListItem(row, viewOptions),
    state,
    disputed_cents: row.dispute_amount_cents ?? row.dispute_debited_cents,
    reason: row.dispute_reason,
    respond_by: row.dispute_respond_by?.toISOString() ?? null,
    reference: row.reference,
    gateway_url: disputeUrl(row.gateway, { payment: row.reference, dispute: row.dispute_reference }),
    started_at: row.started_at.toISOString(),
  }))
  return { list, next_cursor }
}

/** Presents an order in an operator's list. */
export function presentOrderListItem(
  row: OrderListRow,
  { language, canSeeCustomers }: OrderViewOptions,
): ListedOrder {
  const texts = row.titles ?? row.names
  return {
    id: row.id,
    status: row.status,
    kind: row.kind,
    title: texts ? textInLanguage(texts, language) : '',
    number: row.number,
    amount_cents: row.amount_cents,
    refunded_cents: row.refunded_cents,
    currency: row.currency,
    gateway: row.gateway,
    method: row.method,
    user_id: row.user_id,
    // The order's address is empty if the buyer deleted the account.
    email: canSeeCustomers && row.email !== '' ? row.email : null,
    created_at: row.created_at.toISOString(),
    paid_at: row.paid_at?.toISOString() ?? null,
    past_due: row.dunned_id !== null,
    retry_at: row.retry_at?.toISOString() ?? null,
  }
}

/** Orders per page of the export. */
const exportPageSize = 1000

const csvColumns = [
  'order',
  'created_at',
  'paid_at',
  'status',
  'kind',
  'title',
  'episode',
  'amount',
  'refunded',
  'currency',
  'gateway',
  'method',
  'user',
  'email',
]

const formatCents = (cents: number) => (cents / 100).toFixed(2)

/** Returns one page of orders as CSV; the first page begins with a header row. @throws Fault invalidCursor */
export async function exportOrders(
  db: Db,
  filter: OrderFilter,
  cursor: string | undefined,
  viewOptions: OrderViewOptions,
): Promise<{ csv: string; next_cursor: string | null }> {
  const { list, next_cursor } = await listAllOrders(db, filter, { cursor, size: exportPageSize }, viewOptions)
  const lines = list.map((order) =>
    csvLine([
      order.id,
      order.created_at,
      order.paid_at,
      order.status,
      order.kind,
      order.title,
      order.number,
      formatCents(order.amount_cents),
      formatCents(order.refunded_cents),
      order.currency,
      order.gateway,
      order.method,
      order.user_id,
      order.email,
    ]),
  )
  const headerLines = cursor === undefined ? [csvLine(csvColumns)] : []
  return { csv: [...headerLines, ...lines].join(''), next_cursor }
}
