import type { TFunction } from 'i18next'
import { gatewayIds, listPlans, paymentMethods, orderKinds, type GatewayId } from '#contract/billing.ts'
import { getVideo } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import type { Offer, Plan } from '#contract/billing.ts'
import { getUser, type Membership } from '#contract/members.ts'
import { call, CallRejected } from '#web/lib/api.ts'
import { episodeChoice, planChoice, videoChoice, type Choice } from './words.ts'

/** What the card form is asked to sell, as its address says it. */
export interface Wish {
  kind: (typeof orderKinds)[number]
  id: string
  gateway: GatewayId
  method: (typeof paymentMethods)[number]
}

/** Reads a card form's address; null where it asks for nothing that we sell. */
export function readWish(search: string): Wish | null {
  const query = new URLSearchParams(search)
  const kind = orderKinds.find((known) => known === query.get('kind'))
  const gateway = gatewayIds.find((known) => known === (query.get('gateway') ?? 'sandbox'))
  const method = paymentMethods.find((known) => known === (query.get('method') ?? 'card'))
  const id = query.get('id')
  return kind && gateway && method && id ? { kind, id, gateway, method } : null
}

/** What the wish costs, in words. Null where there is nothing to pay (unknown, or owned already). */
export async function loadChoice(t: TFunction, { kind, id }: Wish): Promise<Choice | null> {
  if (kind === 'plan') {
    const [{ list }, { membership }] = await Promise.all([call(listPlans), call(getUser)])
    const plan = list.find((known) => known.id === id)
    return plan ? planChoice(t, asCharged(plan, membership)) : null
  }
  if (kind === 'video') {
    const video = await call(getVideo, { query: { id } })
    const { price, episode_count, progress } = video
    return videoChoice(t, { id, price, count: episode_count, running: progress !== undefined })
  }
  const offer = await episodeOffer(id)
  return offer && episodeChoice(t, offer)
}

/** Whoever is past due pays the period that is open, at the price of a renewal. */
function asCharged({ intro_price_cents, ...plan }: Plan, { status, plan: own }: Membership): Plan {
  if (status === 'past_due' && own?.id === plan.id) return { ...plan, price_cents: own.price_cents }
  return intro_price_cents === undefined ? plan : { ...plan, intro_price_cents }
}

async function episodeOffer(episodeId: string): Promise<Offer | null> {
  try {
    await call(getEpisode, { query: { episode_id: episodeId } })
    return null
  } catch (error) {
    // The contract gives the offer as what goes with 402.
    if (error instanceof CallRejected && error.code === 402) return error.info as Offer
    throw error
  }
}
