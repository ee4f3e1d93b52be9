import type { PaymentMethodChange } from '#contract/billing.ts'
import { Fault, Refusal, type RefusalName } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { refusalByCardDecline } from './card-decline-refusals.ts'
import { callGateway } from '#server/features/billing/gateways/call-gateway.ts'
import {
  insertMethodSetup,
  selectMethodSetup,
  selectOpenMethodSetups,
  type MethodSetupRow,
} from '#server/features/billing/records/method-setup-queries.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { checkAmount, checkOffered } from '#server/features/billing/gateways/gateways.ts'
import { type Payer, checkCardFailureLimit, hashNetwork } from './limit-card-failures.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'
import {
  selectOrderOfPeriod,
  selectNextPrice,
  selectSubscriptionForRenewal,
  type RenewalRow,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import {
  cancelMethodSetup,
  isGatewayConfigured,
  methodSetupKey,
  recheckMethodSetup,
  settleMethodSetup,
} from './settle-method-setup.ts'
import { selectActiveSubscription } from '#server/features/billing/records/renewals/subscription-queries.ts'
import type { PaymentMethod } from '#server/features/billing/tables.ts'
import { checkMethodSetupLimit } from './limit-attempts.ts'

/** A request to charge the renewals of the user's subscription to another payment method. */
interface MethodChangeRequest {
  userId: string
  /** The reserved id of the change, so that a repeated request does not create a second change. */
  setupId: string
  gateway: MethodSetupRow['gateway']
  method: PaymentMethod
  payer: Payer
}

type Step =
  | { do: 'save'; change: MethodSetupRow; payer: { userId: string; email: string } }
  | { do: 'look up' | 'cancel'; change: MethodSetupRow }

/** The earlier changes that this call has already queried (`look up`) or cancelled (`cancel`). */
type HandledSetups = Record<'look up' | 'cancel', Set<string>>

/** An earlier change that the gateway does not know blocks a new change for this time. */
const unknownSetupTimeoutMs = 60_000

/**
 * Saves a card or wallet at a gateway without a payment, for the renewals of the user's subscription. Uses two
 * transactions with the gateway call between them, so that a change can be recovered after a crash. Cancels an earlier
 * change that waits for the user.
 * @throws Refusal notSubscribed, gatewayNotOffered (also if the gateway does not accept the next amount),
 * methodSetupUnknown, or the reason why the method was not saved; Fault tooManyRequests after too many changes or cards
 * of the user or network
 */
export async function changePaymentMethod(
  context: BillingContext,
  request: MethodChangeRequest,
): Promise<PaymentMethodChange> {
  const handled: HandledSetups = { 'look up': new Set(), cancel: new Set() }
  for (;;) {
    const step = await inTransaction(context.db, (tx) => beginMethodSetup(context, tx, request, handled))
    const { change: setup } = step
    if (step.do === 'save') {
      await startMethodSetup(context, setup, request, step.payer)
      return presentMethodChange(context, setup.id)
    }
    handled[step.do].add(setup.id)
    if (step.do === 'cancel') await cancelMethodSetup(context, setup)
    else if (isOpen(setup.status)) await recheckMethodSetup(context, setup)
    if (setup.id === request.setupId) return presentMethodChange(context, setup.id)
  }
}

/**
 * Loads a change of method. Queries an open change first, and completes it if the user has approved it.
 * @throws Refusal notFound for a change of another user, methodSetupUnknown, or the reason why the method was not saved
 */
export async function loadMethodChange(
  context: BillingContext,
  userId: string,
  setupId: string,
): Promise<PaymentMethodChange> {
  const setup = await selectMethodSetup(context.db, setupId)
  if (setup?.user_id !== userId) throw new Refusal('notFound')
  if (isOpen(setup.status)) await recheckMethodSetup(context, setup)
  return presentMethodChange(context, setupId)
}

/** The first transaction: decides on the next step. Stores a new change before the gateway is called. */
async function beginMethodSetup(
  context: BillingContext,
  tx: Tx,
  { userId, setupId, gateway: id, method, payer }: MethodChangeRequest,
  handled: HandledSetups,
): Promise<Step> {
  await lockBuyer(tx, userId)
  const now = context.clock.now()
  const earlier = await selectMethodSetup(tx, setupId)
  if (earlier) return { do: 'look up', change: earlier }
  const live = await selectActiveSubscription(tx, userId, now)
  const row = live && (await selectSubscriptionForRenewal(tx, live.id))
  if (!row) throw new Refusal('notSubscribed')
  const gateway = checkOffered(context, { gateway: id, method, kind: 'plan' })
  checkAmount(context, id, await selectNextAmount(tx, row))
  if (gateway.tokenStep(method) && payer.token === undefined)
    throw new Fault('badRequest', 'payment_token is required')
  const open = (await selectOpenMethodSetups(tx, userId)).filter((one) => isGatewayConfigured(context, one))
  for (const one of open) {
    const next = resolveOpenSetup(one, handled, now)
    if (next) return { do: next, change: one }
  }
  await checkMethodSetupLimit(tx, userId, now)
  const network = method === 'card' ? hashNetwork(context, payer.ip) : null
  if (network !== null) await checkCardFailureLimit(context, tx, { userId, network }, now)
  context.quotas.spendOrThrow('payments', payer.ip)
  const setup = await insertMethodSetup(tx, {
    id: setupId,
    user_id: userId,
    subscription_id: row.id,
    gateway: id,
    method,
    status: 'started',
    started_at: now,
    network_hash: network,
    next_poll_at: nextPoll(0, now),
  })
  const currentOrder = await selectOrderOfPeriod(tx, row.id, row.period_no)
  return { do: 'save', change: setup, payer: { userId, email: row.email ?? currentOrder?.email ?? '' } }
}

/** Returns the amount of the next charge, which the new method will pay. */
async function selectNextAmount(tx: Tx, row: RenewalRow) {
  const order = await selectOrderOfPeriod(tx, row.id, row.period_no + 1)
  return selectNextPrice(tx, row, order?.status === 'pending' ? order : undefined)
}

/**
 * Returns what to do about an open change before another one is started, or undefined if there is nothing to do. If the
 * query finds the change at the gateway, the change is then cancelled, so that one call can recover from a lost
 * response.
 * @throws Refusal methodSetupUnknown while the change may still succeed
 */
function resolveOpenSetup(
  setup: MethodSetupRow,
  handled: HandledSetups,
  now: Date,
): keyof HandledSetups | undefined {
  const { id, status, reference, started_at } = setup
  const wasQueried = handled['look up'].has(id)
  if (reference !== null) {
    if (handled.cancel.has(id)) throw new Refusal('methodSetupUnknown')
    return wasQueried || status === 'requires_action' ? 'cancel' : 'look up'
  }
  if (!wasQueried) return 'look up'
  if (now.getTime() - started_at.getTime() < unknownSetupTimeoutMs) throw new Refusal('methodSetupUnknown')
  return undefined
}

/** Calls the gateway with the committed idempotency key, then settles the change in the second transaction. */
async function startMethodSetup(
  context: BillingContext,
  setup: MethodSetupRow,
  { method, payer }: MethodChangeRequest,
  payerDetails: { userId: string; email: string },
): Promise<void> {
  const { id, gateway } = setup
  const { token, firstName, lastName } = payer
  const outcome = await callGateway(
    context,
    checkOffered(context, { gateway, method, kind: 'plan' }),
    (client) =>
      client.methodSetups.start({
        key: methodSetupKey(setup),
        setupId: id,
        payer: { ...payerDetails, firstName, lastName },
        method,
        token,
        ...returnUrls(context, setup),
      }),
  )
  await settleMethodSetup(context, setup, outcome ?? 'unknown')
}

/**
 * Returns the URLs to which the gateway redirects the user. As after a payment, PayPal redirects to routes of this
 * server, which redirect to the page that loads the change.
 */
function returnUrls({ publicUrl }: BillingContext, { id, gateway }: MethodSetupRow) {
  if (gateway !== 'paypal') {
    const page = `${publicUrl}${methodChangePath(id)}`
    return { returnUrl: page, cancelUrl: page }
  }
  const paypalUrl = (outcome: string) => `${publicUrl}/api/webhook/payment/paypal-${outcome}?change=${id}`
  return { returnUrl: paypalUrl('return'), cancelUrl: paypalUrl('cancel') }
}

/** Returns the page that shows the result of a change. */
export const methodChangePath = (setupId: string) => `/my?change=${setupId}`

const refusalByDeclineCode: Record<string, RefusalName> = {
  ...refusalByCardDecline,
  authentication_failed: 'cardNotConfirmed',
  authentication_required: 'cardNotConfirmed',
  cancelled: 'methodSetupCancelled',
  email_rejected: 'emailInvalid',
}

function refusalFor(setup: MethodSetupRow): Refusal {
  const reason = refusalByDeclineCode[setup.decline_code ?? ''] ?? 'methodNotSaved'
  return new Refusal(reason, reason === 'emailInvalid' ? { field: 'email' } : {})
}

/** Returns a method change as a response. @throws Refusal methodSetupUnknown, or the reason for the failure */
async function presentMethodChange({ db }: BillingContext, setupId: string): Promise<PaymentMethodChange> {
  const setup = await selectMethodSetup(db, setupId)
  if (!setup || setup.status === 'started' || setup.status === 'unknown')
    throw new Refusal('methodSetupUnknown')
  const { id, status, gateway, next_step } = setup
  if (status === 'failed' || status === 'cancelled') throw refusalFor(setup)
  const saved = status === 'succeeded'
  return { id, status: saved ? 'saved' : 'pending', gateway, next: next_step ?? { type: 'none' } }
}
