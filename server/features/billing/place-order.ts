import type { createOrder, Order } from '#contract/billing.ts'
import { Fault, Refusal } from '#contract/errors.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { keepViewer } from '#server/features/members/members.ts'
import { attributionForOrder } from '#server/features/tracking/tracking.ts'
import type { Call } from '#server/platform/http/route.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from './billing-context.ts'
import { checkEmail } from './check-input.ts'
import { checkAmount, checkOffered } from './gateways.ts'
import { selectEpisodeOnSale, selectPlan, selectVideoOnSale } from './offer-queries.ts'
import { insertOrder, lockBuyer, selectOrder, type OrderRow } from './order-queries.ts'
import { isOwned } from './ownership.ts'
import { payOrder } from './pay-order.ts'
import { loadOrder } from './present-order.ts'
import { insertSubscription } from './subscription-queries.ts'

type PlaceOrderCall = Call<typeof createOrder>
type Body = BodyOf<typeof createOrder>

/** An order can be paid this long (billing.md, "States"). */
const payableMs = 24 * 60 * 60_000

/** What is bought and for how much. The amount is frozen on the order. */
type Goods = Pick<OrderRow, 'video_id' | 'episode_id' | 'plan_id' | 'amount_cents' | 'currency'>

/**
 * Makes an order, with the id reserved for it, so that a second run of the same request makes no second one. Where the
 * browser needs a payment for its next step (a wallet), it is started too.
 * @throws Refusal emailInvalid, gatewayNotOffered, notFound, alreadyOwned, subscribedAlready
 */
export async function placeOrder(
  context: BillingContext,
  call: PlaceOrderCall,
  orderId: string,
): Promise<Order> {
  const { body, language } = call
  const method = body.method ?? 'card'
  checkEmail(body.email)
  const gateway = checkOffered(context, { ...body, method })
  const userId = await context.db.transaction().execute(async (tx) => {
    const buyer = await keepViewer(context, tx, call)
    await lockBuyer(tx, buyer)
    if (!(await selectOrder(tx, orderId))) await makeOrder(context, tx, call, { orderId, buyer })
    return buyer
  })
  if (gateway.tokenStep(method) === undefined) await payOrder(context, userId, orderId, {})
  return loadOrder(context, userId, orderId, language)
}

async function makeOrder(
  context: BillingContext,
  tx: Tx,
  call: PlaceOrderCall,
  { orderId, buyer }: { orderId: string; buyer: string },
) {
  const { body } = call
  const now = context.clock.now()
  const goods = await findGoods(tx, body)
  checkAmount(context, body.gateway, goods)
  if (await isOwned(tx, { user_id: buyer, kind: body.kind, ...goods }, now)) {
    throw new Refusal(body.kind === 'plan' ? 'subscribedAlready' : 'alreadyOwned')
  }
  const subscriptionId = goods.plan_id === null ? null : newId('sub')
  if (subscriptionId !== null && goods.plan_id !== null) {
    await insertSubscription(tx, {
      id: subscriptionId,
      user_id: buyer,
      plan_id: goods.plan_id,
      status: 'incomplete',
      created_at: now,
    })
  }
  await insertOrder(tx, {
    id: orderId,
    user_id: buyer,
    kind: body.kind,
    ...goods,
    subscription_id: subscriptionId,
    period_no: subscriptionId === null ? null : 0,
    status: 'pending',
    gateway: body.gateway,
    method: body.method ?? 'card',
    email: body.email,
    consent: consentOf(body, now),
    attribution: JSON.stringify(await attributionForOrder(context, tx, buyer, call, now)),
    created_at: now,
    expires_at: new Date(now.getTime() + payableMs),
  })
}

/** The words that were shown and agreed to, with the time. */
function consentOf({ consent }: Body, now: Date): string | null {
  if (!consent) return null
  return JSON.stringify({
    shown: consent.shown,
    immediate_delivery: consent.immediate_delivery ?? false,
    at: now.toISOString(),
  })
}

/** @throws Refusal notFound for what is not on sale, alreadyOwned for a free episode; Fault badRequest without an id */
function findGoods(db: Db, { kind, plan_id, episode_id, video_id }: Body): Promise<Goods> {
  if (kind === 'plan' && plan_id !== undefined) return findPlan(db, plan_id)
  if (kind === 'episode' && episode_id !== undefined) return findEpisode(db, episode_id)
  if (kind === 'video' && video_id !== undefined) return findVideo(db, video_id)
  throw new Fault('badRequest', `${kind}_id is needed`)
}

async function findPlan(db: Db, id: string): Promise<Goods> {
  const plan = await selectPlan(db, id)
  if (!plan) throw new Refusal('notFound')
  // An introductory price is the price of period 0 (billing.md, "States").
  const amount = plan.intro_price_cents ?? plan.price_cents
  return { plan_id: plan.id, video_id: null, episode_id: null, amount_cents: amount, currency: plan.currency }
}

async function findEpisode(db: Db, id: string): Promise<Goods> {
  const episode = await selectEpisodeOnSale(db, id)
  if (!episode) throw new Refusal('notFound')
  if (episode.number <= episode.free_episodes) throw new Refusal('alreadyOwned')
  const { video_id, episode_cents, currency } = episode
  return { plan_id: null, video_id, episode_id: id, amount_cents: episode_cents, currency }
}

async function findVideo(db: Db, id: string): Promise<Goods> {
  const video = await selectVideoOnSale(db, id)
  if (!video) throw new Refusal('notFound')
  return {
    plan_id: null,
    video_id: id,
    episode_id: null,
    amount_cents: video.video_cents,
    currency: video.currency,
  }
}
