import type { Insertable } from 'kysely'
import type { createOrder, Order } from '#contract/billing.ts'
import { Fault, Refusal } from '#contract/errors.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import {
  variantCents,
  freeEpisodesFor,
  pricesFor,
  loadRunningUncached,
} from '#server/features/experiments/experiments.ts'
import { loadLastWatchedVideo } from '#server/features/library/library.ts'
import { checkEmail, ensureUserRow } from '#server/features/members/members.ts'
import { attributionForOrder } from '#server/features/tracking/tracking.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Call } from '#server/platform/http/route.ts'
import { dayMs } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import { insertMethodConsent } from '#server/features/billing/records/method-consent-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import {
  changePlan,
  findOpenPeriodOrder,
  isOpenPeriodPayable,
  setMethodOfOpenPeriod,
  replaceOpenPeriod,
} from '#server/features/billing/subscriptions/change-plan.ts'
import { selectTopUpEmail } from '#server/features/billing/balance/lot-queries.ts'
import { selectTopUp } from '#server/features/billing/balance/top-up-queries.ts'
import { checkAmount, checkOffered } from '#server/features/billing/gateways/gateways.ts'
import { isEligibleForIntroductoryPrice } from '#server/features/billing/subscriptions/introductory-price.ts'
import {
  selectEpisodeOnSale,
  selectPlanOnSale,
  selectPlanIncludingArchived,
  resolveVideoId,
  selectVideoOnSale,
  type PlanRow,
} from '#server/features/billing/records/product-queries.ts'
import {
  insertOrder,
  isPlanChange,
  lockBuyer,
  selectMatchingOpenOrder,
  selectOrder,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { isAlreadyOwned } from '#server/features/billing/records/already-owned.ts'
import { payFromBalance } from '#server/features/billing/payments/pay-from-balance.ts'
import { payOrder } from '#server/features/billing/payments/pay-order.ts'
import { loadOrder } from './load-orders.ts'
import { findSavedMethod } from '#server/features/billing/payment-methods/saved-method.ts'
import { storeAcceptedTerms } from '#server/features/billing/records/accepted-terms-queries.ts'
import { selectOrderOfPeriod } from '#server/features/billing/records/renewals/renewal-queries.ts'
import {
  insertSubscription,
  selectActiveSubscription,
  type LiveSubscription,
} from '#server/features/billing/records/renewals/subscription-queries.ts'
import type { OrdersTable } from '#server/features/billing/tables.ts'

type CreateOrderCall = Omit<Call<typeof createOrder>, 'query' | 'serialise'>
type Body = BodyOf<typeof createOrder>

/** Lifetime of an unpaid order. */
const orderLifetimeMs = dayMs

/** The ordered product and its current price, which the order stores. */
type OrderedProduct = Pick<OrderRow, 'video_id' | 'episode_id' | 'plan_id' | 'amount_cents' | 'currency'> &
  Partial<Pick<OrderRow, 'top_up_id' | 'bonus_cents' | 'bonus_days'>> & {
    plan?: PlanRow
    introductory?: boolean
  }

/**
 * Creates an order with the reserved id, so that a repeated request creates no second order. Pays the order if it uses
 * a saved method or the balance. Otherwise starts its payment, unless the browser must first obtain a token.
 * @param beforeBalancePayment runs in the order's transaction before the balance pays; checks the limits of auto-unlock
 * @throws Refusal balanceDisabled, balanceTooLow, emailInvalid, gatewayNotOffered, savedMethodUnavailable, notFound,
 * alreadyOwned, alreadySubscribed, resumeLimitReached, priceChanged; Fault tooManyRequests
 */
export async function createOrderFor(
  context: BillingContext,
  call: CreateOrderCall,
  orderId: string,
  beforeBalancePayment?: (tx: Tx, order: OrderRow) => Promise<void>,
): Promise<Order> {
  const { body, language } = call
  const method = body.method ?? 'card'
  if (body.email !== undefined) checkEmail(body.email)
  if (body.kind === 'top_up' && !context.isBalanceEnabled) throw new Refusal('balanceDisabled')
  const fromBalance = body.gateway === 'balance'
  if (fromBalance) checkBalanceOffered(context, body)
  const gateway = fromBalance ? undefined : checkOffered(context, { ...body, method })
  if ((body.saved_method_id ?? body.save_method) !== undefined) checkSavedMethodAllowed(body)
  context.quotas.spendOrThrow('orders', call.ip)
  const { userId, id, payable } = await inTransaction(context.db, async (tx) => {
    const buyer = await ensureUserRow(context, tx, call)
    await lockBuyer(tx, buyer)
    const existing = await selectOrder(tx, orderId)
    const order =
      existing ?? (await selectOrder(tx, await findOrCreateOrder(context, tx, call, { orderId, buyer })))
    if (!order) throw new Error(`order ${orderId} was not found after its creation`)
    checkShownPrice(order, call.body)
    if (order.status === 'pending' && fromBalance) {
      await beforeBalancePayment?.(tx, order)
      await payFromBalance(context, tx, order)
      return { userId: buyer, id: order.id, payable: false }
    }
    if (order.status === 'pending') checkAmount(context, order.gateway, order)
    return { userId: buyer, id: order.id, payable: order.status === 'pending' && !isPlanChange(order) }
  })
  if (payable && body.saved_method_id !== undefined) await payWithSavedMethod(context, call, userId, id)
  else if (payable && gateway?.tokenStep(method) === undefined)
    await payOrder(context, userId, id, { ip: call.ip })
  return loadOrder(context, userId, id, language)
}

/**
 * Pays an order with the saved method. If the outcome is unknown, leaves the order pending without an error, because an
 * error would make the user pay again with another method.
 * @throws as `payOrder`, except Refusal paymentOutcomeUnknown
 */
async function payWithSavedMethod(
  context: BillingContext,
  { ip }: CreateOrderCall,
  userId: string,
  id: string,
): Promise<void> {
  try {
    await payOrder(context, userId, id, { ip })
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== 'paymentOutcomeUnknown') throw error
  }
}

/**
 * Checks the fields of an order that the balance pays.
 * @throws Refusal balanceDisabled; gatewayNotOffered for a plan or top-up; Fault badRequest if a payment method is
 * given
 */
function checkBalanceOffered({ isBalanceEnabled }: BillingContext, body: Body): void {
  const { kind, method, saved_method_id, save_method } = body
  if (!isBalanceEnabled) throw new Refusal('balanceDisabled')
  if (kind === 'plan' || kind === 'top_up') throw new Refusal('gatewayNotOffered')
  if (method !== undefined || saved_method_id !== undefined || save_method !== undefined)
    throw new Fault('badRequest', 'a purchase from the balance takes no payment method')
}

/**
 * Checks the fields of an order that uses or saves a payment method.
 * @throws Fault badRequest for a plan or a wallet, or if `saved_method_id` and `save_method` are combined
 */
function checkSavedMethodAllowed({ kind, method = 'card', saved_method_id, save_method }: Body): void {
  if (saved_method_id !== undefined && save_method !== undefined)
    throw new Fault('badRequest', 'saved_method_id and save_method cannot be combined')
  if (kind === 'plan' || method !== 'card')
    throw new Fault('badRequest', 'payment methods are saved only for one-off purchases by card')
}

/**
 * Refuses an order whose price or bonus differs from the shown one. The refusal rolls back the transaction that created
 * the order.
 * @throws Refusal priceChanged
 */
function checkShownPrice({ amount_cents, bonus_cents, currency }: OrderRow, shown: Body): void {
  const isShown =
    (shown.amount_cents ?? amount_cents) === amount_cents &&
    (shown.bonus_cents ?? bonus_cents ?? 0) === (bonus_cents ?? 0)
  const bonus = bonus_cents === null ? {} : { bonus_cents }
  if (!isShown) throw new Refusal('priceChanged', { amount_cents, ...bonus, currency })
}

/**
 * Creates the order, or finds an existing one: the order of an unpaid subscription period, or an open order for the
 * same product and saved method.
 * @returns the id of the order
 */
async function findOrCreateOrder(
  context: BillingContext,
  tx: Tx,
  call: CreateOrderCall,
  { orderId, buyer }: { orderId: string; buyer: string },
): Promise<string> {
  const { body } = call
  const now = context.clock.now()
  const live = body.kind === 'plan' ? await selectActiveSubscription(tx, buyer, now) : undefined
  const saved =
    body.saved_method_id === undefined
      ? undefined
      : await findSavedMethod(tx, buyer, body.saved_method_id, now)
  if (saved && saved.gateway !== body.gateway) throw new Refusal('savedMethodUnavailable')
  const fromBalance = body.gateway === 'balance'
  const email =
    body.email ??
    saved?.email ??
    (live && (await emailOfCurrentPeriod(tx, live))) ??
    (fromBalance ? ((await selectTopUpEmail(tx, buyer)) ?? '') : undefined)
  if (email === undefined) throw new Refusal('emailInvalid', { field: 'email' })
  const method = body.method ?? (fromBalance ? 'wallet' : 'card')
  const payment = { gateway: body.gateway, method, email } as const
  const consent = await storeConsent(context, tx, call, now)
  // A past-due subscriber pays the unpaid period, even if the request is for another plan. The exception is an unpaid
  // amount that no gateway accepts.
  const unpaidOrder = live?.status === 'past_due' ? await findOpenPeriodOrder(tx, live) : undefined
  if (unpaidOrder && isOpenPeriodPayable(context, unpaidOrder))
    return setMethodOfOpenPeriod(tx, unpaidOrder, { ...payment, consent })
  const { plan, ...product } = await findProduct(context, tx, { ...body, email, buyer }, live?.plan_id)
  const newOrder = {
    id: orderId,
    user_id: buyer,
    kind: body.kind,
    ...product,
    status: 'pending',
    ...payment,
    saved_method_id: saved?.id ?? null,
    consent,
    attribution: JSON.stringify({
      ...(await attributionForOrder(context, tx, buyer, call.userAgent)),
      ...(plan ? await creditDrama(tx, buyer, body) : {}),
    }),
    created_at: now,
    expires_at: new Date(now.getTime() + orderLifetimeMs),
  } as const
  if (plan) return orderPlan(tx, { live, unpaidOrder }, newOrder, plan)
  if (await isAlreadyOwned(tx, newOrder, { now, isRestored: false })) throw new Refusal('alreadyOwned')
  // A second press of the button has a new idempotency key, so it must be matched to the open order of the first press.
  const { top_up_id = null, bonus_cents = null, bonus_days = null } = product
  const matching = { ...newOrder, top_up_id, bonus_cents, bonus_days }
  const openOrder = saved && (await selectMatchingOpenOrder(tx, { ...matching, saved_method_id: saved.id }))
  if (openOrder) return openOrder.id
  await insertOrder(tx, newOrder)
  if (body.save_method)
    await insertMethodConsent(tx, {
      order_id: orderId,
      terms_hash: await storeTerms(context, tx, call, body.save_method.terms_text),
      consented_at: now,
    })
  return orderId
}

/**
 * Returns the drama to which the sale of a plan is credited: the drama of the paywall or, if the request names none,
 * the last watched drama (docs/figures.md).
 */
async function creditDrama(
  tx: Tx,
  buyer: string,
  { video_id, episode_id }: Body,
): Promise<{ video_id?: string }> {
  const credited =
    (await resolveVideoId(tx, { video_id, episode_id })) ?? (await loadLastWatchedVideo(tx, buyer))
  return credited === undefined ? {} : { video_id: credited }
}

/** Returns the e-mail address of the order that paid for the current period. */
async function emailOfCurrentPeriod(
  tx: Tx,
  { id, period_no }: LiveSubscription,
): Promise<string | undefined> {
  return (await selectOrderOfPeriod(tx, id, period_no))?.email
}

/**
 * Orders a plan: the first period of a new subscription, or a subscriber's change of plan. For a past-due subscription,
 * replaces the order of the unpaid period.
 */
async function orderPlan(
  tx: Tx,
  { live, unpaidOrder }: { live: LiveSubscription | undefined; unpaidOrder: OrderRow | undefined },
  newOrder: Insertable<OrdersTable>,
  plan: PlanRow,
): Promise<string> {
  const atFullPrice = { plan_id: plan.id, amount_cents: plan.price_cents, introductory: false }
  if (live && unpaidOrder) return replaceOpenPeriod(tx, live, unpaidOrder, { ...newOrder, ...atFullPrice })
  if (live) return changePlan(tx, live, { ...newOrder, ...atFullPrice })
  const { user_id, created_at } = newOrder
  const agreed_price_cents = plan.price_cents
  const subscription = { id: newId('sub'), user_id, plan_id: plan.id, agreed_price_cents, created_at }
  await insertSubscription(tx, { ...subscription, status: 'incomplete' })
  await insertOrder(tx, { ...newOrder, subscription_id: subscription.id, period_no: 0 })
  return newOrder.id
}

/**
 * Stores the shown terms. Returns the consent that the order stores; it contains only the hash of the terms, because
 * many orders share the same terms.
 */
async function storeConsent(
  context: BillingContext,
  tx: Tx,
  call: CreateOrderCall,
  now: Date,
): Promise<string | null> {
  const { consent } = call.body
  if (!consent) return null
  return JSON.stringify({
    terms_hash: await storeTerms(context, tx, call, consent.terms_text),
    immediate_delivery: consent.immediate_delivery ?? false,
    at: now.toISOString(),
  })
}

/**
 * Stores the terms shown to a buyer.
 * @returns their hash
 * @throws Fault tooManyRequests for too many new texts from one network
 */
async function storeTerms(
  { quotas, clock }: BillingContext,
  tx: Tx,
  { ip }: CreateOrderCall,
  terms: string,
): Promise<string> {
  const { hash, isNew } = await storeAcceptedTerms(tx, terms, clock.now())
  if (isNew) quotas.spendOrThrow('consentTextBytes', ip, Buffer.byteLength(terms))
  return hash
}

/**
 * Returns the product and its current price.
 * @throws Refusal notFound if not on sale, alreadyOwned for a free episode; Fault badRequest without a product id
 */
function findProduct(
  context: BillingContext,
  db: Db,
  { kind, plan_id, episode_id, video_id, top_up_id, email, buyer }: Body & { email: string; buyer: string },
  currentPlanId: string | undefined,
): Promise<OrderedProduct> {
  if (kind === 'plan' && plan_id !== undefined)
    return findPlan(context, db, { id: plan_id, email, runs: plan_id === currentPlanId })
  if (kind === 'episode' && episode_id !== undefined) return findEpisode(db, episode_id, buyer)
  if (kind === 'video' && video_id !== undefined) return findVideo(db, video_id, buyer)
  if (kind === 'top_up' && top_up_id !== undefined) return findTopUp(db, top_up_id)
  throw new Fault('badRequest', `${kind}_id is required`)
}

async function findPlan(
  context: BillingContext,
  db: Db,
  { id, email, runs: isCurrentPlan }: { id: string; email: string; runs: boolean },
): Promise<OrderedProduct> {
  // Subscribers can order their current plan even if it is no longer on sale.
  const plan = isCurrentPlan ? await selectPlanIncludingArchived(db, id) : await selectPlanOnSale(db, id)
  if (!plan) throw new Refusal('notFound')
  // Only a first period has the introductory price: `orderPlan` uses the full price for current subscribers.
  const introductory =
    plan.intro_price_cents !== null && (await isEligibleForIntroductoryPrice(context, db, email))
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

/** Returns the price of a top-up and its current bonus. */
async function findTopUp(db: Db, id: string): Promise<OrderedProduct> {
  const product = await selectTopUp(db, id)
  if (!product || product.archived_at !== null) throw new Refusal('notFound')
  const { price_cents, currency, bonus_cents, bonus_days } = product
  const noOtherProduct = { plan_id: null, video_id: null, episode_id: null }
  return { ...noOtherProduct, top_up_id: id, amount_cents: price_cents, currency, bonus_cents, bonus_days }
}

async function findEpisode(db: Db, id: string, buyer: string): Promise<OrderedProduct> {
  const episode = await selectEpisodeOnSale(db, id)
  if (!episode) throw new Refusal('notFound')
  const { video_id, free_episodes, episode_cents, currency } = episode
  const running = await loadRunningUncached(db)
  const free = freeEpisodesFor(running, buyer, { id: video_id, free_episodes })
  if (episode.number <= free.count) throw new Refusal('alreadyOwned')
  return {
    plan_id: null,
    video_id,
    episode_id: id,
    amount_cents: variantCents(pricesFor(running, buyer, video_id).episode, currency, episode_cents),
    currency,
  }
}

async function findVideo(db: Db, id: string, buyer: string): Promise<OrderedProduct> {
  const video = await selectVideoOnSale(db, id)
  const running = await loadRunningUncached(db)
  const free = video && freeEpisodesFor(running, buyer, video)
  // A drama whose episodes are all free for this buyer is not sold.
  if (!video || (video.last_number ?? 0) <= (free?.count ?? 0)) throw new Refusal('notFound')
  return {
    plan_id: null,
    video_id: id,
    episode_id: null,
    amount_cents: variantCents(pricesFor(running, buyer, id).video, video.currency, video.video_cents),
    currency: video.currency,
  }
}
