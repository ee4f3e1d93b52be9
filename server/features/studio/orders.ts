import type { QueryOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import { orderIdPrefixes } from '#contract/order-number.ts'
import { searchCustomers } from '#contract/studio/customers.ts'
import {
  syncOrder as syncCall,
  exportOrders as exportCall,
  getOrder,
  getReconciliation,
  listDisputes as listDisputesCall,
  listOrders,
  refundOrder as refundCall,
  runReconciliation,
} from '#contract/studio/orders.ts'
import { isAllowed } from '#contract/studio/roles.ts'
import {
  syncOrderWithGateway,
  exportOrders,
  listAllOrders,
  listDisputes,
  loadOrderDetails,
  loadReconciliation,
  reconcile,
  refundOrder,
  type OrderViewOptions,
  type OrderFilter,
  type RefundLimit,
} from '#server/features/billing/billing.ts'
import { refundLimitFor } from '#server/platform/config/read-refund-limits.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import { externalCommand, readCommand, type Actor, type Command } from './define-command.ts'
import { auditCommand } from './write-audit-log.ts'
import type { StudioContext } from './studio-context.ts'

export const pageLimits = { default: 20, max: 50 }
const commandLineReason = 'by the operator'

/** Commands for orders, refunds, disputes and reconciliation. The rules are in server/features/billing. */
export const orderCommands: Command[] = [
  readCommand(listOrders, async ({ db }, { cursor, limit, ...query }, actor) => {
    const paging = { cursor, size: choosePageSize(limit, pageLimits) }
    return { data: await listAllOrders(db, filterOf(query, actor), paging, orderViewOf(actor)) }
  }),

  readCommand(getOrder, async (context, { id }, actor) => ({
    info: await loadOrderDetails(context.db, id, orderViewOf(actor), operatorRefundLimit(context, actor)),
  })),

  readCommand(exportCall, async (context, { cursor, ...query }, actor) => {
    // Every export is written to the audit log, even an export of a single page.
    const after = { ...auditedFilters(query), ...(cursor === undefined ? {} : { further_page: true }) }
    await auditCommand(context, context.db, exportCall, actor, { subject: 'orders', after })
    return { info: await exportPage(context, query, cursor, actor) }
  }),

  externalCommand(
    refundCall,
    ({ id }) => id,
    async (context, { id, amount_cents: amountCents, reason: givenReason, known_refunded_cents }, actor) => {
      const limit = operatorRefundLimit(context, actor)
      const before = await loadOrderDetails(context.db, id, orderViewOf(actor), limit)
      const { unspent_cents: unspent = Infinity } = before
      if (amountCents !== undefined && amountCents > unspent && givenReason === undefined)
        throw new Refusal('refundReasonRequired', { field: 'reason' })
      const reason = givenReason ?? commandLineReason
      const refund = await refundOrder(context, id, {
        reason,
        knownRefundedCents: known_refunded_cents ?? before.order.refunded_cents,
        ...(amountCents === undefined ? {} : { amountCents }),
        ...(limit ? { limit } : {}),
      })
      const { status: order_status, refunded_cents, currency } = refund.order
      const { refundId: refund_id, amountCents: amount_cents, status } = refund
      const { order } = before
      return {
        answer: { info: { refund_id, amount_cents, currency, status, order_status, refunded_cents } },
        change: {
          subject: id,
          before: { status: order.status, refunded_cents: order.refunded_cents },
          after: { status: order_status, refunded_cents, refund_id, amount_cents, currency, reason },
        },
      }
    },
  ),

  externalCommand(
    syncCall,
    ({ id }) => id,
    async (context, { id }, actor) => {
      const { order: before } = await loadOrderDetails(context.db, id, orderViewOf(actor), undefined)
      const info = await syncOrderWithGateway(context, id)
      return { answer: { info }, change: { subject: id, before: { status: before.status }, after: info } }
    },
  ),

  readCommand(listDisputesCall, async ({ db }, { state = 'open', cursor, limit }, actor) => {
    const paging = { cursor, size: choosePageSize(limit, pageLimits) }
    return { data: await listDisputes(db, state, paging, orderViewOf(actor)) }
  }),

  readCommand(getReconciliation, async (context, { day }) => ({
    info: await loadReconciliation(context, day),
  })),

  externalCommand(
    runReconciliation,
    () => 'reconciliation',
    async (context) => {
      await reconcile(context)
      const info = await loadReconciliation(context, undefined)
      const after = { gateways: info.gateways, discrepancies: info.discrepancies.length }
      return { answer: { info }, change: { subject: 'reconciliation', after } }
    },
  ),
]

/**
 * Returns one page of an export. The caller must have written the audit-log entry.
 * @throws Refusal notAllowed, endBeforeStart
 */
export function exportPage(
  context: StudioContext,
  query: OrderQuery,
  cursor: string | undefined,
  actor: Actor,
) {
  return exportOrders(context.db, filterOf(query, actor), cursor, orderViewOf(actor))
}

/** Returns how a role sees orders: only a role that may search customers sees their addresses. */
export function orderViewOf({ role, language }: Actor): OrderViewOptions {
  return { language, canSeeCustomers: isAllowed(role, searchCustomers) }
}

/** Returns an operator's refund limit. Owners have none (undefined). */
function operatorRefundLimit(
  { supportRefunds }: StudioContext,
  { role, operator }: Actor,
): RefundLimit | undefined {
  if (role === 'owner') return undefined
  return {
    operatorId: operator?.id ?? role,
    maxCents: (currency) => refundLimitFor(supportRefunds, currency),
  }
}

type OrderQuery = Omit<QueryOf<typeof listOrders>, 'cursor' | 'limit'>

/** Returns an export's filters for the audit log. The log is permanent, so it contains no e-mail address. */
function auditedFilters({ status, gateway, customer, since, until }: OrderQuery) {
  return { status, gateway, since, until, ...(customer === undefined ? {} : { one_customer: true }) }
}

/**
 * Parses the filters of a list or export. `customer` may be an e-mail address, an order or a user id.
 * @throws Refusal notAllowed if the role may not search for addresses; endBeforeStart if `until` is not after `since`
 */
function filterOf({ status, gateway, customer, since, until }: OrderQuery, actor: Actor): OrderFilter {
  const searchText = customer?.trim() ?? ''
  const isAddress = searchText.includes('@')
  const orderIds = orderIdPrefixes(searchText)
  const isOrder = orderIds.length > 0
  if (isAddress && !orderViewOf(actor).canSeeCustomers) throw new Refusal('notAllowed')
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until))
    throw new Refusal('endBeforeStart', { field: 'until' })
  return {
    status,
    gateway,
    ids: isOrder ? orderIds : undefined,
    userId: searchText === '' || isAddress || isOrder ? undefined : searchText,
    email: isAddress ? searchText : undefined,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  }
}
