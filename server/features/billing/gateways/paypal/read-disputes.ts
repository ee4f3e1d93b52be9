import type { DisputeDetails, Payment } from '#server/features/billing/gateways/gateway.ts'
import type { DisputeStatus } from '#server/features/billing/statuses.ts'
import { toCents } from './amounts.ts'
import type { Dispute, DisputeList } from './objects.ts'
import { PaypalRefusal, type PaypalClient } from './paypal-client.ts'

export const disputesPath = '/v1/customer/disputes'
const pageSize = '50'

/** How a dispute ended for us. PayPal holds the money back from the buyer's first complaint on, and until it is resolved. */
const outcomes: Record<string, DisputeStatus> = {
  RESOLVED_BUYER_FAVOUR: 'lost',
  ACCEPTED: 'lost',
  RESOLVED_SELLER_FAVOUR: 'won',
  // PayPal pays both.
  RESOLVED_WITH_PAYOUT: 'won',
  CANCELED_BY_BUYER: 'won',
  DENIED: 'won',
  NONE: 'won',
}

/** @returns undefined where PayPal has no such dispute */
export async function disputeById(client: PaypalClient, id: string): Promise<Dispute | undefined> {
  try {
    return await readById(client, id)
  } catch (error) {
    if (error instanceof PaypalRefusal && error.status === 404) return undefined
    throw error
  }
}

/** `unread` where PayPal did not say whether there is one, or how it stands. */
export type FoundDispute = Dispute | 'unread' | undefined

/** The latest dispute of a capture; PayPal says nothing of it with the order. */
export async function readDispute(client: PaypalClient, captureId: string): Promise<FoundDispute> {
  const found = await listDisputes(client, { disputed_transaction_id: captureId })
  if (found === 'unread') return found
  const time = ({ create_time = '' }: Dispute) => create_time
  const latest = found.toSorted((a, b) => time(b).localeCompare(time(a)))[0]
  if (!latest) return undefined
  return readById(client, latest.dispute_id).catch((error: unknown) => {
    if (error instanceof PaypalRefusal && error.isFinal) return 'unread'
    throw error
  })
}

interface OpenedDisputes {
  byCapture: Map<string, Dispute>
  /** The ids of those that PayPal lists and does not give. */
  unreadable: string[]
  /** PayPal did not list them. */
  isUnread: boolean
}

/** The disputes that were opened since, by the capture that each is about. */
export async function readDisputesSince(client: PaypalClient, since: Date): Promise<OpenedDisputes> {
  const opened: OpenedDisputes = { byCapture: new Map(), unreadable: [], isUnread: false }
  const found = await listDisputes(client, { start_time: since.toISOString() })
  if (found === 'unread') return { ...opened, isUnread: true }
  for (const { dispute_id } of found.toReversed()) {
    const dispute = await readById(client, dispute_id).catch(() => undefined)
    if (!dispute) opened.unreadable.push(dispute_id)
    for (const { seller_transaction_id: id } of dispute?.disputed_transactions ?? [])
      if (dispute && id !== undefined && !opened.byCapture.has(id)) opened.byCapture.set(id, dispute)
  }
  return opened
}

const readById = (client: PaypalClient, id: string) =>
  client.ask<Dispute>({ method: 'GET', path: `${disputesPath}/${encodeURIComponent(id)}` })

/** In brief: without the outcome, and what it is about. `unread` where PayPal refuses, as it does an app without the permission. */
async function listDisputes(
  client: PaypalClient,
  filter: Record<string, string>,
): Promise<Dispute[] | 'unread'> {
  const disputes: Dispute[] = []
  try {
    const query = new URLSearchParams({ page_size: pageSize, ...filter })
    for (let search: string | undefined = `?${query}`; search !== undefined;) {
      const page: DisputeList = await client.ask({ method: 'GET', path: disputesPath + search })
      // What has neither, such as a proxy's page, is no list of PayPal's, not an empty one.
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

/** @returns undefined where PayPal does not say it in a word that is known */
function standingOf({ status, dispute_outcome: outcome }: Dispute): DisputeStatus | undefined {
  if (status === undefined) return undefined
  return status === 'RESOLVED' ? outcomes[outcome?.outcome_code ?? ''] : 'open'
}

/** A payment with how its dispute stands. What was refunded is not taken a second time. */
export function withDispute(payment: Payment, dispute: FoundDispute): Payment {
  if (!dispute) return payment
  if (dispute === 'unread') return { ...payment, disputeUnread: true }
  const { dispute_outcome: outcome, dispute_amount } = dispute
  const stands = standingOf(dispute)
  if (!stands) return { ...payment, status: 'unreadable', disputeUnread: true }
  // A reversal is final until PayPal gives the capture another status.
  if (payment.dispute === 'lost' && stands === 'won') return payment
  const amount = (stands === 'lost' && outcome?.amount_refunded) || dispute_amount
  const left = payment.amountCents - payment.refundedCents
  return {
    ...payment,
    dispute: stands,
    disputedCents: amount ? Math.min(toCents(amount), left) : left,
    disputeDetails: detailsOf(dispute),
  }
}

/** PayPal writes reasons in capitals; a date that cannot be read is none. */
function detailsOf({ dispute_id, reason, seller_response_due_date: due }: Dispute): DisputeDetails {
  const dueMs = Date.parse(due ?? '')
  return {
    reference: dispute_id,
    ...(reason === undefined ? {} : { reason: reason.toLowerCase() }),
    ...(Number.isNaN(dueMs) ? {} : { dueAt: new Date(dueMs) }),
  }
}
