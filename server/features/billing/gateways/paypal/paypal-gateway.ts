import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log.ts'
import { acceptsAmount, smallestUnitOf } from './amounts.ts'
import { createAccountCheck, listMissingEvents } from './check-account.ts'
import { eventRetentionMs, findPayment, listDisputed, listPayments, lookupLagMs } from './find-payments.ts'
import { createPaypalClient, PaypalRefusal, type PaypalClient } from './paypal-client.ts'
import { parseWebhook } from './parse-webhook.ts'
import { readByReference } from './read-by-reference.ts'
import { presentWithDispute, readOrder, readPayment } from './read-order.ts'
import { refundOnce } from './refund-once.ts'
import { createWalletSetups, tokensPath } from './wallet-setups.ts'
import { capturePayment, createPaypalOrder, chargeRenewal } from './create-and-capture.ts'
import { buildOrderRequest, buildRenewalRequest } from './order-request.ts'

interface PaypalContext {
  settings: NonNullable<Config['paypal']> & { clientSecret: string }
  /** The public URL of the site. PayPal redirects users to it after an approval or a cancellation. */
  publicUrl: string
  clock: Clock
  log: Log
  /** Time limit of one request, in milliseconds. */
  timeoutMs?: number
}

/** The site's start waits at most this long for the check of the account's permissions. */
const startTimeoutMs = 3000

/**
 * Creates the PayPal gateway (Orders v2 with the vault). A payment's reference is the id of its order. An approved
 * order takes money only when `confirmPayment` captures it, so `cancelPayment` has nothing to change at PayPal.
 */
export function createPaypalGateway(context: PaypalContext): PaymentGateway {
  const { settings, publicUrl, clock, log, timeoutMs } = context
  const client = createPaypalClient({ ...settings, clock, timeoutMs })
  const { webhookId } = settings
  const account = createAccountCheck({ client, webhookId, clock, log })
  const redirectUrls = {
    return_url: `${publicUrl}/api/webhook/payment/paypal-return`,
    cancel_url: `${publicUrl}/api/webhook/payment/paypal-cancel`,
  }
  return {
    id: 'paypal',
    methods: ['wallet'],
    get oneOffOnly() {
      return !account.mayVault()
    },
    unitCents: smallestUnitOf,
    acceptsAmount,
    prepare: () => waitAtMost(startTimeoutMs, account.run()),
    missingWebhookEvents: () => listMissingEvents(client, webhookId),
    tokenStep: () => undefined,
    createPayment: (charge) =>
      createPaypalOrder({ client, clock }, charge, buildOrderRequest(charge, redirectUrls)),
    chargeSavedMethod: (charge) =>
      chargeRenewal({ client, clock }, charge, buildRenewalRequest(charge, charge.methodReference)),
    async confirmPayment(reference) {
      const order = await readOrder(client, reference)
      if (order?.status === 'APPROVED') return capturePayment({ client, clock }, reference)
      return order && presentWithDispute(client, order)
    },
    findEmail: async (reference) =>
      (await readOrder(client, reference))?.payment_source?.paypal?.email_address,
    lookupLagMs,
    retrievePayment: (lookup) =>
      'reference' in lookup
        ? readByReference(client, lookup.reference)
        : findPayment(client, { attemptId: lookup.attemptId, from: lookup.startedAt }),
    async cancelPayment(reference) {
      const payment = await readPayment(client, reference)
      if (payment?.status !== 'requires_action') return payment
      // PayPal has no call to cancel an order. None is needed, because an order that is never captured takes no money.
      const { next: _, ...rest } = payment
      return { ...rest, status: 'cancelled', decline: 'cancelled' }
    },
    refundPayment: (refund) => refundOnce(client, refund),
    methodSetups: createWalletSetups(client),
    detachMethod: (reference) => detach(client, reference),
    isMethodAttached: (reference) => isAttached(client, reference),
    parseWebhook: (body, headers) => parseWebhook({ client, webhookId, clock }, body, headers),
    listPayments: (time, findBooked) => listPayments(client, time, findBooked),
    listHistoryMs: eventRetentionMs,
    listDisputedPayments: (time) => listDisputed({ client, clock }, time),
  }
}

const tokenPath = (reference: string) => `${tokensPath}/${encodeURIComponent(reference)}`

async function isAttached(client: PaypalClient, reference: string): Promise<boolean> {
  try {
    await client.request({ method: 'GET', path: tokenPath(reference) })
    return true
  } catch (error) {
    if (error instanceof PaypalRefusal && error.status === 404) return false
    throw error
  }
}

async function detach(client: PaypalClient, reference: string): Promise<void> {
  try {
    await client.request({ method: 'DELETE', path: tokenPath(reference) })
  } catch (error) {
    if (!(error instanceof PaypalRefusal && error.status === 404)) throw error
  }
}

async function waitAtMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))
  await Promise.race([work, timeout])
  clearTimeout(timer)
}
