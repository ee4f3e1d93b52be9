import { gatewayIds, listPlans, paymentMethods, orderKinds, type GatewayId } from '#contract/billing.ts'
import { getVideo } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import type { Offer, Plan } from '#contract/billing.ts'
import { getUser, type Membership } from '#contract/members.ts'
import type { Translate } from '#web/i18n/index.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { hasExpress } from './express-wallet.ts'
import { episodeChoice, isUnpayable, owedChoice, planChoice, videoChoice, type Choice } from './price-copy.ts'

/** The purchase that the order form's address names. */
export interface CheckoutParams {
  kind: (typeof orderKinds)[number]
  id: string
  gateway: GatewayId
  method: (typeof paymentMethods)[number]
  /** The video whose paywall offered the item; a plan is credited to it. */
  video?: string
}

/** Parses the order form's address; returns null if it names nothing on sale. */
export function readCheckoutParams(search: string): CheckoutParams | null {
  const query = new URLSearchParams(search)
  const kind = orderKinds.find((known) => known === query.get('kind'))
  const gateway = gatewayIds.find((known) => known === (query.get('gateway') ?? 'sandbox'))
  const method = paymentMethods.find((known) => known === (query.get('method') ?? 'card'))
  const id = query.get('id')
  const video = query.get('video')
  if (!kind || !gateway || !method || !id) return null
  return { kind, id, gateway, method, ...(video ? { video } : {}) }
}

/** The parameters of the form that changes a plan's payment method. */
export type MethodFormParams = Pick<CheckoutParams, 'gateway' | 'method'>

/** Parses the address of that form; returns null for any other. */
export function readMethodFormParams(search: string): MethodFormParams | null {
  const query = new URLSearchParams(search)
  const gateway = gatewayIds.find((known) => known === query.get('gateway'))
  const method = paymentMethods.find((known) => known === query.get('method'))
  return query.get('kind') === 'method' && gateway && method ? { gateway, method } : null
}

/** Returns the order id from the address of a bank's check; null for any other address. */
export function readThreeDSecureOrderId(search: string): string | null {
  const query = new URLSearchParams(search)
  return query.get('kind') === 'check' ? query.get('order_id') : null
}

/** Returns the gateway from the address of a framed express wallet; null for any other address. */
export function readExpressGateway(search: string): GatewayId | null {
  const query = new URLSearchParams(search)
  const gateway = gatewayIds.find((known) => known === query.get('gateway'))
  return query.get('kind') === 'express' && gateway && hasExpress(gateway) ? gateway : null
}

/** Loads the membership whose payment method can be changed; null if there is none. */
export async function loadMembership(): Promise<Membership | null> {
  const { membership } = await call(getUser)
  return membership.plan ? membership : null
}

/** A plan chosen while another one is active. */
export interface PlanChange {
  plan: Plan
  membership: Membership
}

/** Loads the payment or the change of plan. Returns null if there is neither (unknown, or owned already). */
export async function loadChoice(
  t: Translate,
  { kind, id }: CheckoutParams,
): Promise<Choice | PlanChange | null> {
  if (kind === 'plan') return loadPlan(t, id)
  // Few sites have balances.
  if (kind === 'top_up') return (await import('./load-top-up.ts')).loadTopUp(t, id)
  if (kind === 'video') {
    const video = await call(getVideo, { query: { id } })
    const { price, episode_count, progress } = video
    return videoChoice(t, { id, price, count: episode_count, hasUnreadyEpisodes: progress !== undefined })
  }
  const offer = await episodeOffer(id)
  return offer && episodeChoice(t, offer)
}

/**
 * Loads the choice of a plan: its first period or, for a subscriber, a change of plan. While past due it is the unpaid period,
 * whichever plan was chosen, unless no gateway accepts that period's price.
 */
async function loadPlan(t: Translate, id: string): Promise<Choice | PlanChange | null> {
  const [{ list }, { membership }] = await Promise.all([call(listPlans), call(getUser)])
  const { status, owed, plan: currentPlan } = membership
  const plan = list.find((known) => known.id === id)
  if (owed && isUnpayable(owed)) return plan ? owedChoice(t, plan, list) : null
  if (status === 'past_due') return owed ? owedChoice(t, owed, list) : null
  if (status === null) return plan ? planChoice(t, plan) : null
  return plan && plan.id !== currentPlan?.id ? { plan, membership } : null
}

async function episodeOffer(episodeId: string): Promise<Offer | null> {
  try {
    await call(getEpisode, { query: { episode_id: episodeId } })
    return null
  } catch (error) {
    // By the contract, the 402 response carries the offer.
    if (error instanceof ApiError && error.code === 402) return error.info as Offer
    throw error
  }
}

/** Returns whether the viewer already owns the item, so that there is nothing to pay. */
export async function isOwned({ kind, id }: CheckoutParams): Promise<boolean> {
  if (kind === 'episode') return (await episodeOffer(id)) === null
  if (kind === 'plan') return (await call(getUser)).membership.status === 'active'
  if (kind === 'top_up') return false
  const episodes = await call(getEpisode, { query: { video_id: id } })
  return 'list' in episodes && episodes.list.every(({ state }) => state !== 'locked')
}
