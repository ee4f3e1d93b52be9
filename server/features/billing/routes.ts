import {
  cancelSubscription as cancelCall,
  changeMethod as changeMethodCall,
  createOrder,
  getPayment,
  getSavedMethod,
  listPlans as listPlansCall,
  payOrder as payOrderCall,
  removeSavedMethod as removeSavedMethodCall,
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
import { metInOffer } from '#server/features/experiments/experiments.ts'
import { presentEntitlement } from '#server/features/library/library.ts'
import { giveTokens, requireStanding } from '#server/features/members/members.ts'
import { createAnswerCache } from '#server/platform/response-cache.ts'
import { requireViewer, route, type Call, type PlainRoute, type Route } from '#server/platform/http/route.ts'
import { askForLink } from './consumer-rights/answer-link-requests.ts'
import type { BillingContext } from './billing-context.ts'
import { cancelByLink } from './consumer-rights/cancel-by-link.ts'
import { cancelSubscription, resumeSubscription } from './subscriptions/cancel-subscription.ts'
import { changeMethod, loadMethodChange } from './payment-methods/change-method.ts'
import { checkName } from './checkout/refuse-card-number.ts'
import { claimPurchase } from './consumer-rights/claim-purchase.ts'
import { confirmPayment } from './payments/confirm-payment.ts'
import { balanceRoutes } from './balance-routes.ts'
import { once } from './checkout/once.ts'
import { membershipOf } from './subscriptions/membership.ts'
import { loadPlans } from './checkout/offer.ts'
import { loadReceipt } from './mails/load-receipt.ts'
import { payOrder } from './payments/pay-order.ts'
import { createOrderFor } from './checkout/create-order.ts'
import { listOrders, loadOrder, refreshOrder } from './checkout/present-order.ts'
import { loadSavedMethod, removeSavedMethod } from './payment-methods/saved-method.ts'
import { paypalReturnRoutes } from './checkout/return-from-paypal.ts'
import { applyWebhookEvent, receiveWebhook } from './webhooks/receive-webhook.ts'
import { withdrawByLink } from './consumer-rights/withdraw.ts'

/** Creates the routes of billing. */
export function billingRoutes(context: BillingContext): Route[] {
  const { db, clock } = context
  const plans = createAnswerCache(clock, { stale: true })
  return [
    ...balanceRoutes(context),
    route(listPlansCall, async (call) => {
      if (call.viewer)
        await context.experiments.noteMet(call.viewer, metInOffer(await context.experiments.running()))
      return plans.get(call.language, async () => {
        return call.serialise({ data: await loadPlans(context, call.language) })
      })
    }),
    route(unlockEpisode, async (call) => {
      const viewer = requireViewer(call)
      const cover = async () =>
        presentEntitlement(await context.findCover(viewer, call.body.episode_id, call.language))
      return { info: await once(context, call, unlockEpisode.path, cover) }
    }),
    route(createOrder, async (call) => {
      requireViewer(call)
      const info = await once(context, call, createOrder.path, (id) => createOrderFor(context, call, id))
      rememberKept(context, call)
      return { info }
    }),
    route(payOrderCall, async (call) => {
      const info = await once(context, call, payOrderCall.path, () => pay(context, call))
      rememberKept(context, call)
      return { info }
    }),
    route(cancelCall, (call) => renewal(context, call, cancelCall.path, cancelSubscription)),
    route(resumeCall, (call) => renewal(context, call, resumeCall.path, resumeSubscription)),
    route(changeMethodCall, async (call) => {
      const work = (id: string) => changeOrFollow(context, call, id)
      return { info: await once(context, call, changeMethodCall.path, work, 'pmc') }
    }),
    route(getSavedMethod, async (call) => {
      const { userId } = await requireStanding(context, call)
      return { info: await loadSavedMethod(context, userId) }
    }),
    route(removeSavedMethodCall, async (call) => {
      const { userId } = await requireStanding(context, call)
      return { info: await removeSavedMethod(context, userId, call.body) }
    }),
    route(getPayment, async (call) => {
      const viewer = await requireStanding(context, call)
      const { order_id } = call.query
      if (order_id !== undefined)
        return { info: await refreshOrder(context, viewer.userId, order_id, call.language) }
      const [orders, subscription] = await Promise.all([
        listOrders(context, viewer.userId, call.query, call.language),
        membershipOf(context, db, viewer, call.language),
      ])
      return { data: { ...orders, subscription } }
    }),
    route(claimCall, async (call) => ({ info: await claimPurchase(context, call) })),
    route(cancelByLinkCall, async (call) => {
      const { cancel } = call.body
      if (cancel !== undefined) return { info: await cancelByLink(context, cancel, call.language) }
      await askForLink(context, call, 'cancel', call.body)
      return { info: { done: false } }
    }),
    route(withdrawCall, async (call) => {
      const { withdraw } = call.body
      if (withdraw !== undefined) return { info: await withdrawByLink(context, withdraw) }
      await askForLink(context, call, 'withdraw', call.body)
      return { info: { done: false } }
    }),
    route(getReceipt, async (call) => {
      const { userId } = await requireStanding(context, call)
      return { info: await loadReceipt(context, userId, call.query.order_id) }
    }),
  ]
}

async function renewal(
  context: BillingContext,
  call: Call<typeof cancelCall | typeof resumeCall>,
  path: string,
  change: typeof cancelSubscription,
) {
  const { userId } = requireViewer(call)
  return { info: await once(context, call, path, () => change(context, userId, call.language)) }
}

async function pay(context: BillingContext, call: Call<typeof payOrderCall>) {
  const { userId } = requireViewer(call)
  const { order_id, payment_token, first_name, last_name } = call.body
  const payer = {
    ip: call.ip,
    token: payment_token,
    firstName: checkGivenName(first_name, 'first_name'),
    lastName: checkGivenName(last_name, 'last_name'),
  }
  const confirmed = await confirmPayment(context, userId, order_id, payment_token)
  if (!confirmed) await payOrder(context, userId, order_id, payer)
  return loadOrder(context, userId, order_id, call.language)
}

/** @throws Refusal nameInvalid for a given name that is invalid */
const checkGivenName = (given: string | undefined, field: 'first_name' | 'last_name') =>
  given === undefined ? undefined : checkName(given, field)

async function changeOrFollow(
  context: BillingContext,
  { viewer, body, ip }: Call<typeof changeMethodCall>,
  changeId: string,
) {
  const { userId } = requireViewer({ viewer })
  const { change_id, gateway, method = 'card', payment_token: token, first_name, last_name } = body
  if (change_id !== undefined) return loadMethodChange(context, userId, change_id)
  if (gateway === undefined) throw new Fault('badRequest', 'gateway is needed')
  const payer = {
    ip,
    token,
    firstName: checkGivenName(first_name, 'first_name'),
    lastName: checkGivenName(last_name, 'last_name'),
  }
  return changeMethod(context, { userId, changeId, gateway, method, payer })
}

/** Sets the session cookie with `kept` again: a replayed answer may replace one that was lost together with that cookie. */
function rememberKept(context: BillingContext, call: Call<typeof createOrder | typeof payOrderCall>): void {
  const { userId, kept } = requireViewer(call)
  if (!kept) giveTokens(context, call, { userId, kept: true }, false)
}

/**
 * Creates the routes to which gateways redirect users and send notifications. A notification is stored, answered, and only then
 * applied.
 */
export function billingPlainRoutes(context: BillingContext): PlainRoute[] {
  const notified = context.gateways.map((gateway): PlainRoute => ({
    method: 'POST',
    path: `/api/webhook/payment/${gateway.id}`,
    body: 'raw',
    description: {
      summary: `Takes the notifications of ${gateway.id}, which are signed`,
      answers: { 204: { words: 'Recorded' }, 400: { words: 'Not signed by the gateway' } },
    },
    async handle(request, reply) {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      if (!isJsonObject(body)) return reply.code(400).send()
      const heard = await receiveWebhook(context, gateway, body, request.headers)
      if (!heard) return reply.code(400).send()
      reply.code(204).send()
      // On failure the janitor applies it.
      await applyWebhookEvent(context, heard).catch((error: unknown) =>
        context.log.error({ err: error }, 'a notification was not applied'),
      )
      return reply
    },
  }))
  return [...notified, ...paypalReturnRoutes(context)]
}

/** Returns whether a body is a JSON object, as every webhook event is; a gateway's signature does not prove that. */
function isJsonObject(body: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
