import type { Insertable } from 'kysely'
import type { createOrder, Order } from '#contract/billing.ts'
import { Fault, Refusal } from '#contract/errors.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { armCents, freeEpisodesFor, pricesFor, runningNow } from '#server/features/experiments/experiments.ts'
import { loadLastWatchedVideo } from '#server/features/library/library.ts'
import { keepViewer } from '#server/features/members/members.ts'
import { attributionForOrder } from '#server/features/tracking/tracking.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Call } from '#server/platform/http/route.ts'
import { dayMs } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from './billing-context.ts'
import { changePlan, openPeriod } from './change-plan.ts'
import { checkEmail } from './check-input.ts'
import { checkAmount, checkOffered } from './gateways.ts'
import { mayBeIntroduced } from './introduction.ts'
import {
  selectEpisodeOnSale,
  selectPlan,
  selectSoldPlan,
  selectVideoOf,
  selectVideoOnSale,
  type PlanRow,
} from './offer-queries.ts'
import { insertOrder, isPlanned, lockBuyer, selectOrder, type OrderRow } from './order-queries.ts'
import { isOwned } from './ownership.ts'
import { payOrder } from './pay-order.ts'
import { loadOrder } from './present-order.ts'
import { keepShownWords } from './shown-words-queries.ts'
import { selectOrderOfPeriod } from './renewal-queries.ts'
import { insertSubscription, selectLiveSubscription, type LiveSubscription } from './subscription-queries.ts'
import type { OrdersTable } from './tables.ts'

type PlaceOrderCall = Call<typeof createOrder>
type Body = BodyOf<typeof createOrder>

/** An order can be paid this long (billing.md, "States"). */
const payableMs = dayMs

/** What is bought and for how much. The amount is frozen on the order. */
type Goods = Pick<OrderRow, 'video_id' | 'episode_id' | 'plan_id' | 'amount_cents' | 'currency'> & {
  plan?: PlanRow
  introductory?: boolean
}

/**
 * Makes an order, with the id reserved for it, so that a second run of the same request makes no second one. Where the
 * browser needs a payment for its next step (a wallet), it is started too.
 * @throws Refusal emailInvalid, gatewayNotOffered, notFound, alreadyOwned, subscribedAlready, priceDiffers; Fault tooMany
 */
export async function placeOrder(
  context: BillingContext,
  call: PlaceOrderCall,
  orderId: string,
): Promise<Order> {
  const { body, language } = call
  const method = body.method ?? 'card'
  if (body.email !== undefined) checkEmail(body.email)
  const gateway = checkOffered(context, { ...body, method })
  context.quotas.take('orders', call.ip)
  const { userId, id, payable } = await inTransaction(context.db, async (tx) => {
    const buyer = await keepViewer(context, tx, call)
    await lockBuyer(tx, buyer)
    const known = await selectOrder(tx, orderId)
    const made = known ?? (await selectOrder(tx, await makeOrder(context, tx, call, { orderId, buyer })))
    if (!made) throw new Error(`order ${orderId} is gone`)
    checkShownPrice(made, call.body)
    if (made.status === 'pending') checkAmount(context, made.gateway, made)
    return { userId: buyer, id: made.id, payable: made.status === 'pending' && !isPlanned(made) }
  })
  if (payable && gateway.tokenStep(method) === undefined) await payOrder(context, userId, id, { ip: call.ip })
  return loadOrder(context, userId, id, language)
}

/** Nobody pays another price than they have seen. The order that was made goes with the transaction. @throws Refusal priceDiffers */
function checkShownPrice({ amount_cents, currency }: OrderRow, { amount_cents: shown }: Body): void {
  if (shown !== undefined && shown !== amount_cents)
    throw new Refusal('priceDiffers', { amount_cents, currency })
}

/** @returns the id of the order, which is another's where the open period of a subscription is to be paid */
async function makeOrder(
  context: BillingContext,
  tx: Tx,
  call: PlaceOrderCall,
  { orderId, buyer }: { orderId: string; buyer: string },
): Promise<string> {
  const { body } = call
  const now = context.clock.now()
  const live = body.kind === 'plan' ? await selectLiveSubscription(tx, buyer, now) : undefined
  const email = body.email ?? (live && (await addressOf(tx, live)))
  if (email === undefined) throw new Refusal('emailInvalid', { field: 'email' })
  const payment = { gateway: body.gateway, method: body.method ?? 'card', email } as const
  const consent = await keepConsent(tx, body, now)
  // Whichever plan is wished: it is the open period that is paid.
  if (live?.status === 'past_due') return openPeriod(tx, live, { ...payment, consent })
  const { plan, ...goods } = await findGoods(context, tx, { ...body, email, buyer }, live?.plan_id)
  const wished = {
    id: orderId,
    user_id: buyer,
    kind: body.kind,
    ...goods,
    status: 'pending',
    ...payment,
    consent,
    attribution: JSON.stringify({
      ...(await attributionForOrder(context, tx, buyer, call.userAgent)),
      ...(plan ? await creditDrama(tx, buyer, body) : {}),
    }),
    created_at: now,
    expires_at: new Date(now.getTime() + payableMs),
  } as const
  if (plan) return orderPlan(tx, live, wished, plan)
  if (await isOwned(tx, wished, now)) throw new Refusal('alreadyOwned')
  await insertOrder(tx, wished)
  return orderId
}

/** The drama that led to a plan: whose paywall sold it, else the one that the buyer watched last (docs/figures.md). */
async function creditDrama(
  tx: Tx,
  buyer: string,
  { video_id, episode_id }: Body,
): Promise<{ video_id?: string }> {
  const credited =
    (await selectVideoOf(tx, { video_id, episode_id })) ?? (await loadLastWatchedVideo(tx, buyer))
  return credited === undefined ? {} : { video_id: credited }
}

/** Whom the period that runs was bought by. */
async function addressOf(tx: Tx, { id, period_no }: LiveSubscription): Promise<string | undefined> {
  return (await selectOrderOfPeriod(tx, id, period_no))?.email
}

/** A first period; while subscribed a change of plan (product.md, section 3). */
async function orderPlan(
  tx: Tx,
  live: LiveSubscription | undefined,
  wished: Insertable<OrdersTable>,
  plan: PlanRow,
): Promise<string> {
  const atFullPrice = { plan_id: plan.id, amount_cents: plan.price_cents, introductory: false }
  if (live) return changePlan(tx, live, { ...wished, ...atFullPrice })
  const { user_id, created_at } = wished
  const agreed_cents = plan.price_cents
  const subscription = { id: newId('sub'), user_id, plan_id: plan.id, agreed_cents, created_at }
  await insertSubscription(tx, { ...subscription, status: 'incomplete' })
  await insertOrder(tx, { ...wished, subscription_id: subscription.id, period_no: 0 })
  return wished.id
}

/** What was agreed to and when. The words that were shown are the same in many orders, so the order has their hash. */
async function keepConsent(tx: Tx, { consent }: Body, now: Date): Promise<string | null> {
  if (!consent) return null
  return JSON.stringify({
    shown_hash: await keepShownWords(tx, consent.shown, now),
    immediate_delivery: consent.immediate_delivery ?? false,
    at: now.toISOString(),
  })
}

/** @throws Refusal notFound for what is not on sale, alreadyOwned for a free episode; Fault badRequest without an id */
function findGoods(
  context: BillingContext,
  db: Db,
  { kind, plan_id, episode_id, video_id, email, buyer }: Body & { email: string; buyer: string },
  runningPlan: string | undefined,
): Promise<Goods> {
  if (kind === 'plan' && plan_id !== undefined)
    return findPlan(context, db, { id: plan_id, email, runs: plan_id === runningPlan })
  if (kind === 'episode' && episode_id !== undefined) return findEpisode(db, episode_id, buyer)
  if (kind === 'video' && video_id !== undefined) return findVideo(db, video_id, buyer)
  throw new Fault('badRequest', `${kind}_id is needed`)
}

async function findPlan(
  context: BillingContext,
  db: Db,
  { id, email, runs }: { id: string; email: string; runs: boolean },
): Promise<Goods> {
  // Whoever has a plan keeps it, though it may not be on sale any more.
  const plan = runs ? await selectSoldPlan(db, id) : await selectPlan(db, id)
  if (!plan) throw new Refusal('notFound')
  // An introductory price is the price of period 0 (billing.md, "States").
  const introductory = plan.intro_price_cents !== null && (await mayBeIntroduced(context, db, email))
  return {
    plan,
    plan_id: id,
    video_id: null,
    episode_id: null,
    amount_cents: introductory ? (plan.intro_price_cents ?? plan.price_cents) : plan.price_cents,
    currency: plan.currency,
    introductory,
  }
}

async function findEpisode(db: Db, id: string, buyer: string): Promise<Goods> {
  const episode = await selectEpisodeOnSale(db, id)
  if (!episode) throw new Refusal('notFound')
  const { video_id, free_episodes, episode_cents, currency } = episode
  const running = await runningNow(db)
  const free = freeEpisodesFor(running, buyer, { id: video_id, free_episodes })
  if (episode.number <= free.count) throw new Refusal('alreadyOwned')
  return {
    plan_id: null,
    video_id,
    episode_id: id,
    amount_cents: armCents(pricesFor(running, buyer, video_id).episode, currency, episode_cents),
    currency,
  }
}

async function findVideo(db: Db, id: string, buyer: string): Promise<Goods> {
  const video = await selectVideoOnSale(db, id)
  const running = await runningNow(db)
  const free = video && freeEpisodesFor(running, buyer, video)
  // Something of it is locked to this buyer.
  if (!video || (video.last_number ?? 0) <= (free?.count ?? 0)) throw new Refusal('notFound')
  return {
    plan_id: null,
    video_id: id,
    episode_id: null,
    amount_cents: armCents(pricesFor(running, buyer, id).video, video.currency, video.video_cents),
    currency: video.currency,
  }
}
