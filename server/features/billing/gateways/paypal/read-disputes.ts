import type { DisputeDetails, Payment } from '#server/features/billing/gateways/gateway.ts'
import type { DisputeStatus } from '#server/features/billing/statuses.ts'
import { fromPaypal } from './amounts.ts'
import type { Dispute, DisputeList } from './objects.ts'
import { PaypalRefusal, type PaypalClient } from './paypal-client.ts'

export const disputesPath = '/v1/customer/disputes'
const pageSize = '50'

/** The outcome of a dispute for this site, by PayPal's outcome code. */
const outcomes: Record<string, DisputeStatus> = {
  RESOLVED_BUYER_FAVOUR: 'lost',
  ACCEPTED: 'lost',
  RESOLVED_SELLER_FAVOUR: 'won',
  // PayPal pays the buyer itself, and the seller keeps the money.
  RESOLVED_WITH_PAYOUT: 'won',
  CANCELED_BY_BUYER: 'won',
  DENIED: 'won',
  NONE: 'won',
}

/** Reads a dispute. @returns undefined if PayPal has no such dispute */
export async function findDispute(client: PaypalClient, id: string): Promise<Dispute | undefined> {
  try {
    return await readById(client, id)
  } catch (error) {
    if (error instanceof PaypalRefusal && error.status === 404) return undefined
    throw error
  }
}

/**
 * A dispute, or undefined if there is none. `unread` if PayPal did not report whether there is one, or what its status
 * is.
 */
export type DisputeLookup = Dispute | 'unread' | undefined

/** Reads the latest dispute of a capture. PayPal's orders do not contain disputes. */
export async function readLatestDispute(client: PaypalClient, captureId: string): Promise<DisputeLookup> {
  const found = await listDisputes(client, { disputed_transaction_id: captureId })
  if (found === 'unread') return found
  const latest = oldestFirst(found).at(-1)
  if (!latest) return undefined
  return readById(client, latest.dispute_id).catch((error: unknown) => {
    if (error instanceof PaypalRefusal && error.isFinal) return 'unread'
    throw error
  })
}

export interface OpenedDisputes {
  byCapture: Map<string, Dispute>
  /** The ids of listed disputes whose details could not be read. */
  unreadable: string[]
  /** True if PayPal did not return the list. */
  isUnread: boolean
}

/**
 * Reads the disputes that were opened after `since`. Returns the latest dispute of each disputed capture, by the
 * capture's id.
 */
export async function readDisputesSince(client: PaypalClient, since: Date): Promise<OpenedDisputes> {
  const opened: OpenedDisputes = { byCapture: new Map(), unreadable: [], isUnread: false }
  const found = await listDisputes(client, { start_time: since.toISOString() })
  if (found === 'unread') return { ...opened, isUnread: true }
  for (const { dispute_id } of oldestFirst(found)) {
    const dispute = await readById(client, dispute_id).catch(() => undefined)
    if (!dispute) opened.unreadable.push(dispute_id)
    for (const { seller_transaction_id: id } of dispute?.disputed_transactions ?? [])
      if (dispute && id !== undefined) opened.byCapture.set(id, dispute)
  }
  return opened
}

/**
 * Sorts disputes by time, oldest first. Disputes with equal or missing times are in reverse list order, because PayPal
 * lists the latest dispute first.
 */
const oldestFirst = (disputes: readonly Dispute[]) =>
  disputes.toReversed().toSorted(({ create_time: a = '' }, { create_time: b = '' }) => a.localeCompare(b))

const readById = (client: PaypalClient, id: string) =>
  client.request<Dispute>({ method: 'GET', path: `${disputesPath}/${encodeURIComponent(id)}` })

/**
 * Lists disputes without their outcome and details. Returns `unread` if PayPal refuses because the app has no
 * permission.
 */
async function listDisputes(
  client: PaypalClient,
  filter: Record<string, string>,
): Promise<Dispute[] | 'unread'> {
  const disputes: Dispute[] = []
  try {
    const query = new URLSearchParams({ page_size: pageSize, ...filter })
    for (let search: string | undefined = `?${query}`; search !== undefined;) {
      const page: DisputeList = await client.request({ method: 'GET', path: disputesPath + search })
      // An empty list has one of these properties. A response without both is something else, such as a proxy's page.
      if (!Array.isArray(page.items) && !Array.isArray(page.links)) return 'unread'
      const { items = [], links = [] } = page
      disputes.push(...items)
      const next = links.find(({ rel }) => rel === 'next')
      search = next && items.length > 0 ? new URL(next.href).search : undefined
    }
  } catch (error) {
    if (error instanceof PaypalRefusal && error.isFinal) return 'unread'
    throw error
  }
  return disputes
}

/** Returns the status of a dispute, or undefined if this site does not know PayPal's status or outcome code. */
function disputeStatusOf({ status, dispute_outcome: outcome }: Dispute): DisputeStatus | undefined {
  if (status === undefined) return undefined
  return status === 'RESOLVED' ? outcomes[outcome?.outcome_code ?? ''] : 'open'
}

/** Adds a dispute to its payment. The disputed amount does not include refunded money. */
export function withDispute(payment: Payment, dispute: DisputeLookup): Payment {
  if (!dispute) return payment
  if (dispute === 'unread') return { ...payment, disputeUnread: true }
  const { dispute_outcome: outcome, dispute_amount } = dispute
  const disputeStatus = disputeStatusOf(dispute)
  if (!disputeStatus) return { ...payment, status: 'unreadable', disputeUnread: true }
  // PayPal has reversed the capture, so the money is lost until PayPal changes the capture's status.
  if (payment.dispute === 'lost' && disputeStatus === 'won') return payment
  const amount = (disputeStatus === 'lost' && outcome?.amount_refunded) || dispute_amount
  const unrefundedCents = payment.amountCents - payment.refundedCents
  return {
    ...payment,
    dispute: disputeStatus,
    disputedCents: amount ? Math.min(fromPaypal(amount), unrefundedCents) : unrefundedCents,
    disputeDetails: detailsOf(dispute),
  }
}

/** Returns the details for the operator: the id, the reason in lower case, and the due date if it can be read. */
function detailsOf({ dispute_id, reason, seller_response_due_date: due }: Dispute): DisputeDetails {
  const dueMs = Date.parse(due ?? '')
  return {
    reference: dispute_id,
    ...(reason === undefined ? {} : { reason: reason.toLowerCase() }),
    ...(Number.isNaN(dueMs) ? {} : { dueAt: new Date(dueMs) }),
  }
}
