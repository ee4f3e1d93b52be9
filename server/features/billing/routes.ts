import {
  cancelSubscription as cancelCall,
  changePaymentMethod as changeMethodCall,
  createOrder,
  getOrders,
  getSavedPaymentMethod,
  listPlans as listPlansCall,
  payOrder as payOrderCall,
  removeSavedPaymentMethod as removeSavedMethodCall,
  resumeSubscription as resumeCall,
  unlockEpisode,
} from '#contract/billing.ts'
import {
  cancelByLink as cancelByLinkCall,
  claimPurchase as claimCall,
  getReceipt,
  withdraw as withdrawCall,
} from '#contract/consumer-rights.ts'
import { Fault } from '#contract/errors.ts'
import { experimentsInOffer } from '#server/features/experiments/experiments.ts'
import { presentEntitlement } from '#server/features/library/library.ts'
import { checkName, setTokens, requireActiveViewer } from '#server/features/members/members.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import { requireViewer, route, type Call, type PlainRoute, type Route } from '#server/platform/http/route.ts'
import { requestOrderLink } from './consumer-rights/send-order-links.ts'
import type { BillingContext } from './billing-context.ts'
import { cancelByLink } from './consumer-rights/cancel-by-link.ts'
import { cancelSubscription, resumeSubscription } from './subscriptions/cancel-subscription.ts'
import { changePaymentMethod, loadMethodChange } from './payment-methods/change-method.ts'
import { claimPurchase } from './consumer-rights/claim-purchase.ts'
import { confirmPayment } from './payments/confirm-payment.ts'
import { balanceRoutes } from './balance-routes.ts'
import { withIdempotencyKey } from './checkout/with-idempotency-key.ts'
import { loadMembership } from './subscriptions/membership.ts'
import { loadPlans } from './checkout/paywall-offer.ts'
import { loadReceipt } from './mails/load-receipt.ts'
import { payOrder } from './payments/pay-order.ts'
import { createOrderFor } from './checkout/create-order.ts'
import { listOrders, loadOrder, refreshOrder } from './checkout/load-orders.ts'
import { loadSavedMethod, removeSavedMethod } from './payment-methods/saved-method.ts'
import { paypalReturnRoutes } from './checkout/paypal-return-routes.ts'
import { applyWebhookEvent, receiveWebhook } from './webhooks/receive-webhook.ts'
import { withdrawByLink } from './consumer-rights/withdraw.ts'

/** Creates the routes of billing. */
export function billingRoutes(context: BillingContext): Route[] {
  const { db, clock } = context
  const plans = createResponseCache(clock, { stale: true })
  return [
    ...balanceRoutes(context),
    route(listPlansCall, async (call) => {
      if (call.viewer)
        await context.experiments.recordExposures(
          call.viewer,
          experimentsInOffer(await context.experiments.running()),
        )
      return plans.get(call.language, async () => {
        return call.serialise({ data: await loadPlans(context, call.language) })
      })
    }),
    route(unlockEpisode, async (call) => {
      const viewer = requireViewer(call)
      const loadEntitlement = async () =>
        presentEntitlement(await context.findCoveringEntitlement(viewer, call.body.episode_id, call.language))
      return { info: await withIdempotencyKey(context, call, unlockEpisode.path, loadEntitlement) }
    }),
    route(createOrder, async (call) => {
      requireViewer(call)
      const info = await withIdempotencyKey(context, call, createOrder.path, (id) =>
        createOrderFor(context, call, id),
      )
      renewSessionCookie(context, call)
      return { info }
    }),
    route(payOrderCall, async (call) => {
      const info = await withIdempotencyKey(context, call, payOrderCall.path, () =>
        payAndLoadOrder(context, call),
      )
      renewSessionCookie(context, call)
      return { info }
    }),
    route(cancelCall, (call) => changeRenewal(context, call, cancelCall.path, cancelSubscription)),
    route(resumeCall, (call) => changeRenewal(context, call, resumeCall.path, resumeSubscription)),
    route(changeMethodCall, async (call) => {
      const work = (id: string) => changeOrLoadMethod(context, call, id)
      return { info: await withIdempotencyKey(context, call, changeMethodCall.path, work, 'pmc') }
    }),
    route(getSavedPaymentMethod, async (call) => {
      const { userId } = await requireActiveViewer(context, call)
      return { info: await loadSavedMethod(context, userId) }
    }),
    route(removeSavedMethodCall, async (call) => {
      const { userId } = await requireActiveViewer(context, call)
      return { info: await removeSavedMethod(context, userId, call.body) }
    }),
    route(getOrders, async (call) => {
      const viewer = await requireActiveViewer(context, call)
      const { order_id } = call.query
      if (order_id !== undefined)
        return { info: await refreshOrder(context, viewer.userId, order_id, call.language) }
      const [orders, subscription] = await Promise.all([
        listOrders(context, viewer.userId, call.query, call.language),
        loadMembership(context, db, viewer, call.language),
      ])
      return { data: { ...orders, subscription } }
    }),
    route(claimCall, async (call) => ({ info: await claimPurchase(context, call) })),
    route(cancelByLinkCall, async (call) => {
      const { secret } = call.body
      if (secret !== undefined) return { info: await cancelByLink(context, secret, call.language) }
      await requestOrderLink(context, call, 'cancel', call.body)
      return { info: { done: false } }
    }),
    route(withdrawCall, async (call) => {
      const { secret } = call.body
      if (secret !== undefined) return { info: await withdrawByLink(context, secret) }
      await requestOrderLink(context, call, 'withdraw', call.body)
      return { info: { done: false } }
    }),
    route(getReceipt, async (call) => {
      const { userId } = await requireActiveViewer(context, call)
      return { info: await loadReceipt(context, userId, call.query.order_id) }
    }),
  ]
}

async function changeRenewal(
  context: BillingContext,
  call: Call<typeof cancelCall | typeof resumeCall>,
  path: string,
  change: typeof cancelSubscription,
) {
  const { userId } = requireViewer(call)
  return { info: await withIdempotencyKey(context, call, path, () => change(context, userId, call.language)) }
}

async function payAndLoadOrder(context: BillingContext, call: Call<typeof payOrderCall>) {
  const { userId } = requireViewer(call)
  const { order_id, payment_token, first_name, last_name } = call.body
  const payer = {
    ip: call.ip,
    token: payment_token,
    firstName: checkOptionalName(first_name, 'first_name'),
    lastName: checkOptionalName(last_name, 'last_name'),
  }
  const confirmed = await confirmPayment(context, userId, order_id, payment_token)
  if (!confirmed) await payOrder(context, userId, order_id, payer)
  return loadOrder(context, userId, order_id, call.language)
}

/** Checks a name, if one is given. @throws Refusal nameInvalid */
const checkOptionalName = (name: string | undefined, field: 'first_name' | 'last_name') =>
  name === undefined ? undefined : checkName(name, field)

async function changeOrLoadMethod(
  context: BillingContext,
  { viewer, body, ip }: Call<typeof changeMethodCall>,
  setupId: string,
) {
  const { userId } = requireViewer({ viewer })
  const { setup_id, gateway, method = 'card', payment_token: token, first_name, last_name } = body
  if (setup_id !== undefined) return loadMethodChange(context, userId, setup_id)
  if (gateway === undefined) throw new Fault('badRequest', 'gateway is required')
  const payer = {
    ip,
    token,
    firstName: checkOptionalName(first_name, 'first_name'),
    lastName: checkOptionalName(last_name, 'last_name'),
  }
  return changePaymentMethod(context, { userId, setupId, gateway, method, payer })
}

/**
 * Sends the guest's session cookie with `isStored` again. A repeated request needs this, because the browser may not
 * have received the first response and its cookie.
 */
function renewSessionCookie(
  context: BillingContext,
  call: Call<typeof createOrder | typeof payOrderCall>,
): void {
  const { userId, isStored } = requireViewer(call)
  if (!isStored) setTokens(context, call, { userId, isStored: true }, false)
}

/**
 * Creates the routes to which gateways send webhook events and redirect users. An event is first stored and
 * acknowledged, and then applied.
 */
export function billingPlainRoutes(context: BillingContext): PlainRoute[] {
  const webhookRoutes = context.gateways.map((gateway): PlainRoute => ({
    method: 'POST',
    path: `/api/webhook/payment/${gateway.id}`,
    body: 'raw',
    description: {
      summary: `Receives the signed webhook events of ${gateway.id}`,
      answers: { 204: { words: 'The event is stored' }, 400: { words: 'Invalid body or signature' } },
    },
    async handle(request, reply) {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      if (!isJsonObject(body)) return reply.code(400).send()
      const event = await receiveWebhook(context, gateway, body, request.headers)
      if (!event) return reply.code(400).send()
      reply.code(204).send()
      // If this fails, the janitor applies the event later.
      await applyWebhookEvent(context, event).catch((error: unknown) =>
        context.log.error({ err: error }, 'a webhook event was not applied'),
      )
      return reply
    },
  }))
  return [...webhookRoutes, ...paypalReturnRoutes(context)]
}

/**
 * Returns whether a body is a JSON object, as every webhook event must be. A valid signature alone does not prove this.
 */
function isJsonObject(body: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
