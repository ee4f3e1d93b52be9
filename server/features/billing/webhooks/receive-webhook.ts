import type { GatewayId } from '#contract/billing.ts'
import { selectAttempt, selectAttemptByReference } from '#server/features/billing/records/attempt-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { callGateway } from '#server/features/billing/gateways/call-gateway.ts'
import {
  selectMethodSetup,
  selectMethodSetupByReference,
  type MethodSetupRow,
} from '#server/features/billing/records/method-setup-queries.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { WebhookRefused, type PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import { handleDetachedMethod } from '#server/features/billing/payment-methods/handle-detached-method.ts'
import {
  insertWebhookEvent,
  markWebhookEventApplied,
} from '#server/features/billing/records/webhook-event-queries.ts'
import { decodePurchase } from '#server/features/billing/records/purchase-metadata.ts'
import {
  comparePayments,
  compareUnknownReference,
} from '#server/features/billing/reconciliation/compare-payments.ts'
import { recheckMethodSetup } from '#server/features/billing/payment-methods/settle-method-setup.ts'
import { settleAttempt } from '#server/features/billing/payments/settle-attempt.ts'

interface ReceivedEvent {
  gateway: GatewayId
  event_id: string
  reference: string
}

/**
 * Verifies a webhook event and stores it before it is applied, so that it survives a crash. An event that is delivered
 * twice is stored once.
 * @returns the event to apply, or undefined if its signature, age or shape is not valid
 */
export async function receiveWebhook(
  { db, clock }: BillingContext,
  gateway: PaymentGateway,
  body: Buffer,
  headers: Record<string, string | string[] | undefined>,
): Promise<ReceivedEvent | undefined> {
  try {
    const { eventId, reference } = await gateway.parseWebhook(body, headers)
    const event: ReceivedEvent = { gateway: gateway.id, event_id: eventId, reference }
    const now = clock.now()
    await insertWebhookEvent(db, { ...event, received_at: now, next_poll_at: nextPoll(0, now) })
    return event
  } catch (error) {
    if (error instanceof WebhookRefused) return undefined
    throw error
  }
}

/**
 * Applies a webhook event by reading its payment or method at the gateway. The content of the event is never trusted.
 * May be called any number of times, because a duplicate has no further effect.
 */
export async function applyWebhookEvent(
  context: BillingContext,
  { gateway: id, event_id, reference }: ReceivedEvent,
): Promise<void> {
  const { db, clock, log } = context
  const gateway = findGateway(context, id)
  if (!gateway) return
  const method = await handleDetachedMethod(context, id, reference)
  if (method === 'unknown') return
  if (method === 'done') return markWebhookEventApplied(db, id, event_id, clock.now())
  const setup = await selectMethodSetupByReference(db, id, reference)
  if (setup) return applyToMethodSetup(context, gateway, setup, event_id)
  const known = await selectAttemptByReference(db, id, reference)
  // A user who approved a payment may not return to the site, so this completes the payment.
  const payment = await callGateway(context, gateway, (client) =>
    known?.status === 'requires_action'
      ? client.confirmPayment(reference)
      : client.retrievePayment({ reference }),
  )
  if (payment === 'unknown') return
  const isUnknownPayment = payment === null && known === undefined
  const lateSetup = isUnknownPayment ? await findMethodSetup(context, gateway, reference) : null
  if (lateSetup === 'unknown') return
  if (lateSetup) return applyToMethodSetup(context, gateway, lateSetup, event_id)
  const attempt = known ?? (payment ? await selectAttempt(db, payment.attemptId) : undefined)
  if (payment && attempt) {
    await settleAttempt(context, attempt, payment)
    // If `comparePayments` cannot settle the payment, it stores a discrepancy, which the reconciliation retries hourly.
    // If the payment succeeded or is missing, the event also remains unapplied, because the janitor retries it sooner.
    const { isSettled } = await comparePayments(context, gateway, [payment])
    if ((payment.status === 'succeeded' || payment.missing) && !isSettled) return
  } else if (payment && decodePurchase(context, payment)) {
    // If the payment is of this site, the database has lost its order, and `comparePayments` restores it.
    const { isSettled } = await comparePayments(context, gateway, [payment])
    if (!isSettled) return
  } else if (known && payment === null) await compareUnknownReference(context, gateway, reference)
  else log.warn({ gateway: id, event: event_id }, 'a webhook event refers to no payment of this site')
  await markWebhookEventApplied(db, id, event_id, clock.now())
}

async function applyToMethodSetup(
  context: BillingContext,
  { id }: PaymentGateway,
  setup: MethodSetupRow,
  eventId: string,
): Promise<void> {
  // If the gateway does not answer, the event remains unapplied, and the janitor retries it.
  if (!(await recheckMethodSetup(context, setup))) return
  await markWebhookEventApplied(context.db, id, eventId, context.clock.now())
}

/**
 * Finds a method setup by its reference at the gateway. This is needed if the setup was stored without its reference,
 * because the gateway's response to our request was lost.
 */
async function findMethodSetup(
  context: BillingContext,
  gateway: PaymentGateway,
  reference: string,
): Promise<MethodSetupRow | null | 'unknown'> {
  const gatewaySetup = await callGateway(context, gateway, (client) =>
    client.methodSetups.retrieve({ reference }),
  )
  if (gatewaySetup === 'unknown' || !gatewaySetup?.setupId)
    return gatewaySetup === 'unknown' ? gatewaySetup : null
  const setup = await selectMethodSetup(context.db, gatewaySetup.setupId)
  return setup?.gateway === gateway.id ? setup : null
}
