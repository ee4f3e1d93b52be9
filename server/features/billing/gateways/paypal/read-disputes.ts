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

/** The latest dispute of a capture; PayPal says nothing of it with the order. */
export async function readDispute(client: PaypalClient, captureId: string): Promise<Dispute | undefined> {
  const found = await listDisputes(client, { disputed_transaction_id: captureId })
  const time = ({ create_time = '' }: Dispute) => create_time
  const latest = found.toSorted((a, b) => time(b).localeCompare(time(a)))[0]
  return latest && readById(client, latest.dispute_id)
}

interface OpenedDisputes {
  byCapture: Map<string, Dispute>
  /** The ids of those that PayPal lists and does not give. */
  unreadable: string[]
}

/** The disputes that were opened since, by the capture that each is about. */
export async function readDisputesSince(client: PaypalClient, since: Date): Promise<OpenedDisputes> {
  const opened: OpenedDisputes = { byCapture: new Map(), unreadable: [] }
  const found = await listDisputes(client, { start_time: since.toISOString() })
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

/** In brief: without the outcome, and what it is about. None where the account may not read them, which the log has said. */
async function listDisputes(client: PaypalClient, filter: Record<string, string>): Promise<Dispute[]> {
  const disputes: Dispute[] = []
  try {
    const query = new URLSearchParams({ page_size: pageSize, ...filter })
    for (let search: string | undefined = `?${query}`; search !== undefined;) {
      const page: DisputeList = await client.ask({ method: 'GET', path: disputesPath + search })
      const { items = [], links = [] } = page
      disputes.push(...items)
      const next = links.find(({ rel }) => rel === 'next')
      search = next && items.length > 0 ? new URL(next.href).search : undefined
    }
  } catch (error) {
    if (!(error instanceof PaypalRefusal && error.status === 403)) throw error
  }
  return disputes
}

/** A payment with how its dispute stands. What was refunded is not taken a second time. */
export function withDispute(payment: Payment, dispute: Dispute | undefined): Payment {
  if (!dispute) return payment
  const { status, dispute_outcome: outcome, dispute_amount } = dispute
  const stands = status === 'RESOLVED' ? outcomes[outcome?.outcome_code ?? 'NONE'] : 'open'
  if (!stands) return { ...payment, status: 'unreadable' }
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
