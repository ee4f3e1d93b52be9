import type { GatewayId } from '#contract/billing.ts'
import { selectAttempt, selectAttemptByReference } from './attempt-queries.ts'
import type { BillingContext } from './billing-context.ts'
import { askGateway } from './call-gateway.ts'
import { selectChange, selectChangeByReference, type ChangeRow } from './change-queries.ts'
import { nextCheck } from './check-schedule.ts'
import { NotificationRefused, type PaymentGateway } from './gateway.ts'
import { checkMethod } from './lose-method.ts'
import { insertNotification, markApplied } from './notification-queries.ts'
import { readPurchase } from './purchase.ts'
import { compare, compareMissing } from './reconcile.ts'
import { recheckChange } from './settle-change.ts'
import { settleAttempt } from './settle-order.ts'

interface Heard {
  gateway: GatewayId
  event_id: string
  reference: string
}

/**
 * Verifies and records a webhook event before it is applied (billing.md, "Crash safety").
 * @returns what to apply afterwards, or undefined if the event is not the gateway's
 */
export async function takeNotification(
  { db, clock }: BillingContext,
  gateway: PaymentGateway,
  body: Buffer,
  headers: Record<string, string | string[] | undefined>,
): Promise<Heard | undefined> {
  try {
    const { eventId, reference } = await gateway.readNotification(body, headers)
    const heard: Heard = { gateway: gateway.id, event_id: eventId, reference }
    const now = clock.now()
    await insertNotification(db, { ...heard, received_at: now, check_at: nextCheck(0, now) })
    return heard
  } catch (error) {
    if (error instanceof NotificationRefused) return undefined
    throw error
  }
}

/**
 * Applies a webhook event by reading its payment or method at the gateway; the event's own content is never trusted. May be
 * called any number of times.
 */
export async function applyNotification(
  context: BillingContext,
  { gateway: id, event_id, reference }: Heard,
): Promise<void> {
  const { db, clock, gateways, log } = context
  const gateway = gateways.find((one) => one.id === id)
  if (!gateway) return
  const method = await checkMethod(context, id, reference)
  if (method === 'unknown') return
  if (method === 'done') return markApplied(db, id, event_id, clock.now())
  const change = await selectChangeByReference(db, id, reference)
  if (change) return applySaving(context, gateway, change, event_id)
  const known = await selectAttemptByReference(db, id, reference)
  // Somebody who approved a payment may never come back: it is brought on here as it would be for them.
  const payment = await askGateway(context, gateway, (asked) =>
    known?.status === 'requires_action' ? asked.complete(reference) : asked.retrieve({ reference }),
  )
  if (payment === 'unknown') return
  const unheard = payment === null && known === undefined
  const saved = unheard ? await findChange(context, gateway, reference) : null
  if (saved === 'unknown') return
  if (saved) return applySaving(context, gateway, saved, event_id)
  const attempt = known ?? (payment ? await selectAttempt(db, payment.attemptId) : undefined)
  if (payment && attempt) {
    await settleAttempt(context, attempt, payment)
    // A discrepancy is looked at again by the reconciliation. Anything else that is not settled comes back with this event.
    const isSettled = await compare(context, gateway, [payment])
    if ((payment.status === 'succeeded' || payment.gone) && !isSettled) return
  } else if (payment && readPurchase(context, payment)) {
    // The database lost its order.
    if (!(await compare(context, gateway, [payment]))) return
  } else if (known && payment === null) await compareMissing(context, gateway, reference)
  else log.warn({ gateway: id, event: event_id }, 'a notification is about no payment of ours')
  await markApplied(db, id, event_id, clock.now())
}

async function applySaving(
  context: BillingContext,
  { id }: PaymentGateway,
  change: ChangeRow,
  eventId: string,
): Promise<void> {
  // Where there was no answer, the janitor comes back to it.
  if (!(await recheckChange(context, change))) return
  await markApplied(context.db, id, eventId, context.clock.now())
}

/** The change whose saving has a name that we never heard. */
async function findChange(
  context: BillingContext,
  gateway: PaymentGateway,
  reference: string,
): Promise<ChangeRow | null | 'unknown'> {
  const saving = await askGateway(context, gateway, (asked) => asked.saver.retrieve({ reference }))
  if (saving === 'unknown' || !saving?.changeId) return saving === 'unknown' ? saving : null
  const change = await selectChange(context.db, saving.changeId)
  return change?.gateway === gateway.id ? change : null
}
