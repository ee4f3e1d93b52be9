import type { listPlans as listPlansCall, LockedEpisode, Offer, Plan } from '#contract/billing.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { textInLanguage, type Language } from '#contract/languages.ts'
import { experimentsInOffer } from '#server/features/experiments/experiments.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { isPurchasable, offeredGateways, priceOfPlan } from '#server/features/billing/gateways/gateways.ts'
import { selectPlansOnSale, type PlanRow } from '#server/features/billing/records/product-queries.ts'
import { offerBalance } from './load-balance.ts'
import { offerSavedMethod } from '#server/features/billing/payment-methods/saved-method.ts'

/** Returns the products and payment methods that unlock an episode for a viewer: the `info` of a 402 response. */
export async function offerFor(
  context: Pick<BillingContext, 'gateways' | 'experiments' | 'clock' | 'isBalanceEnabled'>,
  db: Db,
  viewer: Viewer | null,
  episode: LockedEpisode,
  language: Language,
): Promise<Offer> {
  const { price, video, id, video_id, number, title, thumb_url } = episode
  const { experiments } = context
  const plans = await listPlans(context, db, language)
  if (viewer)
    await experiments.recordExposures(viewer, experimentsInOffer(await experiments.running(), video_id))
  const oneOff = [
    { productId: 'episode', cents: [price.episode_cents], currency: price.currency },
    { productId: 'video', cents: [price.video_cents], currency: price.currency },
  ]
  const saved = viewer?.isStored ? await offerSavedMethod(context, db, viewer.userId, oneOff) : undefined
  const balance = await offerBalance(context, db, viewer, episode)
  return {
    episode: { id, video_id, number, title, thumb_url },
    price,
    video,
    plans,
    gateways: offeredGateways(context, [...oneOff, ...plans.map(priceOfPlan)]),
    ...(saved ? { saved_method: saved } : {}),
    ...(balance ? { balance } : {}),
  }
}

/** Returns the plans on sale and the payment methods, as GET /api/plan does. */
export async function loadPlans(
  { db, gateways }: Pick<BillingContext, 'db' | 'gateways'>,
  language: Language,
): Promise<ResultOf<typeof listPlansCall>> {
  const list = await listPlans({ gateways }, db, language)
  return { list, next_cursor: null, gateways: offeredGateways({ gateways }, list.map(priceOfPlan)) }
}

/** Lists, by position, the plans on sale whose prices a gateway accepts. */
export async function listPlans(
  context: Pick<BillingContext, 'gateways'>,
  db: Db,
  language: Language,
): Promise<Plan[]> {
  const plans = (await selectPlansOnSale(db)).map((row) => presentPlan(row, language))
  return plans.filter((plan) => isPurchasable(context, priceOfPlan(plan), 'plan'))
}

function presentPlan(row: PlanRow, language: Language): Plan {
  return {
    id: row.id,
    name: textInLanguage(row.names, language),
    description: textInLanguage(row.descriptions, language),
    price_cents: row.price_cents,
    ...(row.intro_price_cents === null ? {} : { intro_price_cents: row.intro_price_cents }),
    currency: row.currency,
    period_days: row.period_days,
    highlight: row.highlight,
  }
}
