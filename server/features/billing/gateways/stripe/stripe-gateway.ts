import Stripe from 'stripe'
import { gatewayTimeoutMs } from '#server/features/billing/gateways/call-gateway.ts'
import {
  unreadablePayment,
  type Charge,
  type FormHosts,
  type Payment,
  type PaymentGateway,
} from '#server/features/billing/gateways/gateway.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db } from '#server/tables.ts'
import { randomHex } from '#server/platform/ids.ts'
import { acceptsAmount, toStripe, smallestUnitOf } from './amounts.ts'
import { handleChargeErrors } from './handle-charge-errors.ts'
import { createdAround, isMissing } from './creation-time-range.ts'
import { deleteCustomerOfUser } from './delete-customer.ts'
import { ensureCustomer, findEmail } from './ensure-customer.ts'
import { listMissingEvents, reportMissingEvents } from './report-missing-events.ts'
import { cancelIntent, idOf, isDeclinedButOpen, splitMethodReference } from './intents.ts'
import { listOldestFirst } from './list-oldest-first.ts'
import { parseWebhook } from './parse-webhook.ts'
import { chargeOf, presentIntent, withCharge, withDispute } from './present-payment.ts'
import { refundOnce } from './refund-once.ts'
import { createCardSetups } from './card-setups.ts'
import type { StripeContext } from './stripe-context.ts'

/** The pinned version of Stripe's API, which all calls and types here use. */
const apiVersion = '2026-10-28.endive'

export interface StripeSettings {
  secretKey: string
  publishableKey: string
  /** The list has two secrets during a rotation. */
  webhookSecrets: readonly string[]
  /** The public URL of the site. */
  publicUrl: string
  /** The origin of Stripe's API. A path in this URL is ignored. */
  apiBase: string
  db: Db
  clock: Clock
  log: Log
}

/** The hosts of Stripe's script, of its frames for card fields and the bank's 3-D Secure check, and of its API. */
const formHosts: FormHosts = {
  script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connect: ['https://api.stripe.com'],
}

/**
 * Creates the Stripe gateway for cards. Each payment is one PaymentIntent. If the user is present, the PaymentIntent is
 * created with the order, and Stripe's own fields in the browser then send the card. A renewal is created and confirmed
 * in one request.
 */
export function createStripeGateway(settings: StripeSettings): PaymentGateway {
  const { publishableKey, publicUrl, db, log } = settings
  const stripe = connect(settings)
  const context = { stripe, db, log }
  return {
    id: 'stripe',
    methods: ['card'],
    publicKey: publishableKey,
    formHosts,
    unitCents: smallestUnitOf,
    acceptsAmount,
    prepare: () => reportMissingEvents(context, publicUrl),
    missingWebhookEvents: () => listMissingEvents(stripe, publicUrl),
    tokenStep: () => undefined,
    createPayment: (charge) =>
      handleChargeErrors(context, charge, async () => {
        if (charge.methodReference !== undefined)
          return chargeSavedCard(context, charge, charge.methodReference)
        const customer = await ensureCustomer(context, charge.payer)
        const usage = charge.save ? ({ setup_future_usage: 'off_session' } as const) : {}
        return create(context, charge, { customer, ...usage })
      }),
    chargeSavedMethod: (charge) =>
      handleChargeErrors(context, charge, () => {
        const { customer, method } = splitMethodReference(charge.methodReference)
        return create(context, charge, { customer, payment_method: method, off_session: true, confirm: true })
      }),
    confirmPayment: (reference) => readOrNull(context, reference),
    retrievePayment: (lookup) =>
      'reference' in lookup ? readOrNull(context, lookup.reference) : findByAttempt(context, lookup),
    async cancelPayment(reference) {
      await cancelIntent(stripe.paymentIntents, reference)
      return readOrNull(context, reference)
    },
    findEmail: (reference) => findEmail(stripe, reference),
    refundPayment: (refund) => refundOnce(stripe, refund),
    methodSetups: createCardSetups(context),
    detachMethod: (methodReference) => detachCard(stripe, splitMethodReference(methodReference)),
    isMethodAttached: (methodReference) => isCardAttached(stripe, splitMethodReference(methodReference)),
    deleteCustomer: (userId) => deleteCustomerOfUser(context, userId),
    parseWebhook: (body, headers) => parseWebhook({ ...settings, stripe }, body, headers),
    listPayments: (time) => listSince(context, time),
  }
}

/**
 * Creates a Stripe client that never repeats a request. If a response is lost, the caller looks up the payment. The
 * client uses fetch, because with Node's HTTP client the library repeats a request after a broken connection despite
 * `maxNetworkRetries`.
 */
function connect({ secretKey, apiBase }: StripeSettings): Stripe {
  const { protocol, hostname, port } = new URL(apiBase)
  const secure = protocol === 'https:'
  return new Stripe(secretKey, {
    apiVersion,
    httpClient: Stripe.createFetchHttpClient(),
    protocol: secure ? 'https' : 'http',
    host: hostname,
    port: port || (secure ? 443 : 80),
    maxNetworkRetries: 0,
    timeout: gatewayTimeoutMs,
    telemetry: false,
  })
}

/** Charges a saved card. If the bank requires 3-D Secure, Stripe's script shows the bank's check in the browser. */
function chargeSavedCard(context: StripeContext, charge: Charge, methodReference: string): Promise<Payment> {
  const { customer, method } = splitMethodReference(methodReference)
  return create(context, charge, { customer, payment_method: method, confirm: true, use_stripe_sdk: true })
}

async function create(
  context: StripeContext,
  { key, orderId, attemptId, amountCents, currency, purchase }: Charge,
  options: Partial<Stripe.PaymentIntentCreateParams>,
): Promise<Payment> {
  const request = {
    amount: toStripe(amountCents, currency),
    currency: currency.toLowerCase(),
    allowed_payment_method_types: ['card' as const],
    metadata: { order_id: orderId, attempt_id: attemptId, purchase },
    expand: [withCharge],
    ...options,
  }
  return present(context, await context.stripe.paymentIntents.create(request, { idempotencyKey: key }))
}

/**
 * Reads a payment, and cancels it if it was declined. Otherwise it could later succeed with another card although it
 * was reported as failed. Its secret could also be used to try any number of cards. Reads but does not change payments
 * of other shops, because the webhook receives all events of the account.
 */
async function read(context: StripeContext, reference: string): Promise<Payment> {
  const { stripe } = context
  const get = () => stripe.paymentIntents.retrieve(reference, { expand: [withCharge] })
  const intent = await get()
  const isCurrent =
    !isOurs(intent) || !isDeclinedButOpen(intent) || (await cancelIntent(stripe.paymentIntents, reference))
  return present(context, isCurrent ? intent : await get())
}

async function present(
  { stripe }: StripeContext,
  intent: Stripe.PaymentIntent,
  refunds?: ListedRefunds,
): Promise<Payment> {
  const payment = presentIntent(intent)
  if (payment.refundedCents > 0 && (await isRefundPending(stripe, intent, refunds)))
    payment.refundPending = true
  if (!chargeOf(intent)?.disputed) return payment
  const { data } = await stripe.disputes.list({ payment_intent: intent.id, limit: 1 })
  // The charge is marked as disputed, but Stripe does not list the dispute.
  if (!data[0]) return { ...payment, status: 'unreadable', disputeUnread: true }
  return withDispute(payment, data[0])
}

/** The refunds that were listed for a payment, in Stripe's unit, and whether one of them is pending. */
interface ListedRefunds {
  amount: number
  isPending: boolean
}

/**
 * Returns whether a refund is pending. Stripe includes a pending refund in the charge's `amount_refunded`, although it
 * may fail. Needs no request if `listed` has all refunds of the charge.
 */
async function isRefundPending(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
  listed: ListedRefunds | undefined,
): Promise<boolean> {
  if (listed && listed.amount === chargeOf(intent)?.amount_refunded) return listed.isPending
  for await (const refund of stripe.refunds.list({ payment_intent: intent.id, limit: 100 }))
    if (isPending(refund)) return true
  return false
}

const isPending = ({ status }: Stripe.Refund) => status === 'pending' || status === 'requires_action'

async function readOrNull(context: StripeContext, reference: string): Promise<Payment | null> {
  // Webhook events may be about any object, but only PaymentIntents are payments.
  if (!/^pi_\w+$/.test(reference)) return null
  try {
    return await read(context, reference)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/**
 * Finds a payment by our attempt's id in its metadata, if Stripe's response with the payment's id was lost. Lists the
 * payments from around the start of the attempt, because Stripe's search is updated with a delay.
 */
async function findByAttempt(
  context: StripeContext,
  { attemptId, startedAt }: { attemptId: string; startedAt: Date },
): Promise<Payment | null> {
  const created = createdAround(startedAt)
  for await (const { id, metadata } of context.stripe.paymentIntents.list({ created, limit: 100 }))
    if (metadata['attempt_id'] === attemptId) return read(context, id)
  return null
}

/** Returns whether this site created a payment. The account may also serve other shops. */
const isOurs = ({ metadata }: Stripe.PaymentIntent) => metadata['attempt_id'] !== undefined

/**
 * Lists the payments that were created since a time, oldest first. Then lists the older payments that were refunded or
 * disputed since that time.
 */
async function* listSince(context: StripeContext, time: Date): AsyncGenerator<Payment[]> {
  const since = Math.floor(time.getTime() / 1000)
  const { changed, refunds } = await listRefundedOrDisputed(context, { created: { gte: since }, limit: 100 })
  const request = { limit: 100, expand: [`data.${withCharge}`] }
  const created = listOldestFirst(
    (range) => context.stripe.paymentIntents.list({ ...request, created: range }),
    since,
  )
  for await (const intents of created) {
    const page: Payment[] = []
    for (const intent of intents.filter(isOurs)) {
      changed.delete(intent.id)
      const payment = present(context, intent, refunds.get(intent.id))
      page.push(await payment.catch(() => unreadablePayment(intent.id)))
    }
    yield page
  }
  for (const reference of changed) {
    const payment = await readOurs(context, reference, refunds.get(reference)).catch(() =>
      unreadablePayment(reference),
    )
    yield payment ? [payment] : []
  }
}

/** Reads a payment. @returns undefined for a payment of another shop */
async function readOurs(
  context: StripeContext,
  reference: string,
  refunds: ListedRefunds | undefined,
): Promise<Payment | undefined> {
  const intent = await context.stripe.paymentIntents.retrieve(reference, { expand: [withCharge] })
  return isOurs(intent) ? present(context, intent, refunds) : undefined
}

/** Returns the ids of the payments that were refunded or disputed in a time span, with the refunds of the span. */
async function listRefundedOrDisputed(
  { stripe }: StripeContext,
  span: { created: { gte: number }; limit: number },
): Promise<{ changed: Set<string>; refunds: ReadonlyMap<string, ListedRefunds> }> {
  const changed = new Set<string>()
  const refunds = new Map<string, ListedRefunds>()
  for await (const refund of stripe.refunds.list(span)) {
    const id = idOf(refund.payment_intent)
    if (id === undefined) continue
    changed.add(id)
    const { amount, isPending: wasPending } = refunds.get(id) ?? { amount: 0, isPending: false }
    const hasEnded = refund.status === 'failed' || refund.status === 'canceled'
    refunds.set(id, {
      amount: hasEnded ? amount : amount + refund.amount,
      isPending: wasPending || isPending(refund),
    })
  }
  for await (const { payment_intent } of stripe.disputes.list(span)) {
    const id = idOf(payment_intent)
    if (id !== undefined) changed.add(id)
  }
  return { changed, refunds }
}

/** The ids of a card and of the customer whose card it is. */
type CardIds = ReturnType<typeof splitMethodReference>

async function detachCard(stripe: Stripe, card: CardIds): Promise<void> {
  const { method } = card
  try {
    await stripe.paymentMethods.detach(method, {}, { idempotencyKey: `detach:${method}:${randomHex()}` })
  } catch (error) {
    // Stripe refuses to detach a card twice, but it may also refuse for another reason, and then still has the card.
    const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError
    if (!isRefused || (await isCardAttached(stripe, card))) throw error
  }
}

/** Returns whether a card is attached to its customer. Stripe also returns a detached card, but without a customer. */
async function isCardAttached(stripe: Stripe, { customer, method }: CardIds): Promise<boolean> {
  try {
    const { customer: owner } = await stripe.paymentMethods.retrieve(method)
    return idOf(owner) === customer
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
