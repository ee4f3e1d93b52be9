import type { QueryOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import { orderIdPrefix } from '#contract/order-number.ts'
import {
  checkOrder as checkCall,
  exportOrders as exportCall,
  getOrder,
  getReconciliation,
  listDisputes as listDisputesCall,
  listOrders,
  refundOrder as refundCall,
  runReconciliation,
} from '#contract/studio/orders.ts'
import {
  syncOrderWithGateway,
  exportOrders,
  listAllOrders,
  listDisputes,
  loadOrderDetails,
  loadReconciliation,
  reconcile,
  refundOrder,
  type Look,
  type OrderFilter,
  type RefundLimit,
} from '#server/features/billing/billing.ts'
import { refundLimitOf } from '#server/platform/config/read-refund-limits.ts'
import { pageSize } from '#server/platform/cursor.ts'
import { acts, reads, writeDown, type Actor, type Command } from './command.ts'
import type { StudioContext } from './studio-context.ts'

export const pageLimits = { usual: 20, most: 50 }
const byCommandLine = 'by the operator'

/** Commands for orders and their money. Billing implements the rules. */
export const orderCommands: Command[] = [
  reads(listOrders, async ({ db }, { cursor, limit, ...query }, actor) => {
    const paging = { cursor, size: pageSize(limit, pageLimits) }
    return { data: await listAllOrders(db, filterOf(query, actor), paging, lookOf(actor)) }
  }),

  reads(getOrder, async (context, { id }, actor) => ({
    info: await loadOrderDetails(context.db, id, lookOf(actor), limitOf(context, actor)),
  })),

  reads(exportCall, async (context, { cursor, ...query }, actor) => {
    // Every export is recorded, also that of a single page.
    const after = { ...trace(query), ...(cursor === undefined ? {} : { further_page: true }) }
    await writeDown(context, context.db, exportCall, actor, { subject: 'orders', after })
    return { info: await exportPage(context, query, cursor, actor) }
  }),

  acts(
    refundCall,
    ({ id }) => id,
    async (context, { id, cents, reason: given, known_refunded_cents }, actor) => {
      const limit = limitOf(context, actor)
      const before = await loadOrderDetails(context.db, id, lookOf(actor), limit)
      const { unspent_cents: unspent = Infinity } = before
      if (cents !== undefined && cents > unspent && given === undefined)
        throw new Refusal('reasonNeeded', { field: 'reason' })
      const reason = given ?? byCommandLine
      const made = await refundOrder(context, id, {
        reason,
        knownRefundedCents: known_refunded_cents ?? before.order.refunded_cents,
        ...(cents === undefined ? {} : { amountCents: cents }),
        ...(limit ? { limit } : {}),
      })
      const { status: order_status, refunded_cents, currency } = made.order
      const { refundId: refund_id, amountCents: amount_cents, status } = made
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

  acts(
    checkCall,
    ({ id }) => id,
    async (context, { id }, actor) => {
      const { order: before } = await loadOrderDetails(context.db, id, lookOf(actor), undefined)
      const info = await syncOrderWithGateway(context, id)
      return { answer: { info }, change: { subject: id, before: { status: before.status }, after: info } }
    },
  ),

  reads(listDisputesCall, async ({ db }, { state = 'open', cursor, limit }, actor) => {
    const paging = { cursor, size: pageSize(limit, pageLimits) }
    return { data: await listDisputes(db, state, paging, lookOf(actor)) }
  }),

  reads(getReconciliation, async (context, { day }) => ({ info: await loadReconciliation(context, day) })),

  acts(
    runReconciliation,
    () => 'reconciliation',
    async (context) => {
      await reconcile(context)
      const info = await loadReconciliation(context, undefined)
      const after = { gateways: info.gateways, mismatches: info.mismatches.length }
      return { answer: { info }, change: { subject: 'reconciliation', after } }
    },
  ),
]

/** Returns one page of an export that the caller has recorded. @throws Refusal notAllowed, as `filterOf` */
export function exportPage(context: StudioContext, query: Query, cursor: string | undefined, actor: Actor) {
  return exportOrders(context.db, filterOf(query, actor), cursor, lookOf(actor))
}

/** Returns the view of orders for a role. Analysts do not see buyers. */
export function lookOf({ role, language }: Actor): Look {
  return { language, seesPeople: role !== 'analyst' }
}

/** Returns an operator's refund limit; undefined if there is none. */
function limitOf({ supportRefunds }: StudioContext, { role, operator }: Actor): RefundLimit | undefined {
  if (role === 'owner') return undefined
  return {
    operatorId: operator?.id ?? role,
    mostCents: (currency) => refundLimitOf(supportRefunds, currency),
  }
}

type Query = Omit<QueryOf<typeof listOrders>, 'cursor' | 'limit'>

/** Returns the filters in the form of the audit trail, which is permanent and therefore contains no address. */
function trace({ status, gateway, person, since, until }: Query) {
  return { status, gateway, since, until, ...(person === undefined ? {} : { one_person: true }) }
}

/** @throws Refusal notAllowed if the role may not search for addresses; spanBackwards */
function filterOf({ status, gateway, person, since, until }: Query, actor: Actor): OrderFilter {
  const wanted = person?.trim() ?? ''
  const isAddress = wanted.includes('@')
  const order = wanted.startsWith('ord_') ? wanted : orderIdPrefix(wanted)
  const isOrder = order !== undefined
  if (isAddress && !lookOf(actor).seesPeople) throw new Refusal('notAllowed')
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until))
    throw new Refusal('spanBackwards', { field: 'until' })
  return {
    status,
    gateway,
    id: order,
    userId: wanted === '' || isAddress || isOrder ? undefined : wanted,
    email: isAddress ? wanted : undefined,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  }
}
