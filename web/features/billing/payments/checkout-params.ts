import { gatewayIds, listPlans, paymentMethods, orderKinds, type GatewayId } from '#contract/billing.ts'
import { getVideo } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import type { Offer, Plan } from '#contract/billing.ts'
import { getUser, type Membership } from '#contract/members.ts'
import type { Translate } from '#web/i18n/index.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { hasExpress } from './express-wallet.ts'
import { episodeChoice, isUnpayable, owedChoice, planChoice, videoChoice, type Choice } from './choices.ts'

/** The purchase described by the URL of the order form. */
export interface CheckoutParams {
  kind: (typeof orderKinds)[number]
  id: string
  gateway: GatewayId
  method: (typeof paymentMethods)[number]
  /** The video whose paywall offered the item; the sale of a plan is attributed to it. */
  video?: string
}

/** Parses the query of the order form's URL; returns null if it describes no purchase. */
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

/** The parameters of the form that changes a subscription's payment method. */
export type MethodFormParams = Pick<CheckoutParams, 'gateway' | 'method'>

/** Parses the query of the payment method form's URL; returns null for any other URL. */
export function readMethodFormParams(search: string): MethodFormParams | null {
  const query = new URLSearchParams(search)
  const gateway = gatewayIds.find((known) => known === query.get('gateway'))
  const method = paymentMethods.find((known) => known === query.get('method'))
  return query.get('kind') === 'method' && gateway && method ? { gateway, method } : null
}

/** Returns the order id if the URL belongs to a 3-D Secure check, else null. */
export function readThreeDSecureOrderId(search: string): string | null {
  const query = new URLSearchParams(search)
  return query.get('kind') === 'check' ? query.get('order_id') : null
}

/** Returns the gateway if the URL belongs to a framed express wallet, else null. */
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

/** A plan that was chosen while another plan is active. */
export interface PlanChange {
  plan: Plan
  membership: Membership
}

/** Loads the chosen item, or the change of plan. Returns null if the item is unknown or already owned. */
export async function loadChoice(
  t: Translate,
  { kind, id }: CheckoutParams,
): Promise<Choice | PlanChange | null> {
  if (kind === 'plan') return loadPlan(t, id)
  // Loaded on demand, because few sites have balances.
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
 * Loads a chosen plan: its first period or, for a subscriber, a change of plan. If the subscription is past due,
 * returns its unpaid period, whichever plan was chosen. If no gateway accepts the price of that period, the chosen plan
 * can be paid instead.
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
    // A 402 response contains the offer (see the contract).
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
