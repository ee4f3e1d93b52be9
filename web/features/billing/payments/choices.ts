import type { Offer, Plan } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import type { Translate } from '#web/i18n/index.ts'
import type { OrderFormParams } from '#web/lib/paths.ts'
import { money } from '#web/lib/format-money.ts'
import { planTerms, renewalTerms } from './plan-terms.ts'

/** Something that can be bought, with all texts about its price. */
export interface Choice {
  kind: OrderFormParams['kind']
  id: string
  name: string
  text: string
  /** The amount charged now. */
  cents: number
  /** The bonus; only for a top-up. */
  bonusCents?: number
  currency: string
  /** The full terms of the price: the amount now and later, how often it is charged, and how it ends. */
  terms: string
  badge?: PlanBadge | undefined
  /** True if this is the unpaid period of a subscription that is past due. */
  owed?: boolean
  /** The regular price, for users who are not eligible for the introductory price. */
  regular?: { cents: number; terms: string }
  /** The price of a renewal, and the length of a period in days. */
  renews?: { cents: number; days: number }
}

/** The reason a plan is highlighted: `best` is calculated, `recommended` is the operator's choice. */
export type PlanBadge = 'best' | 'recommended'

/**
 * Returns the badge of a plan: `best` for the lowest price per day, else `recommended` if the operator highlights the
 * plan.
 */
export function badgeOf(plan: Plan, plans: readonly Plan[]): PlanBadge | undefined {
  const perDay = ({ price_cents, period_days }: Plan) => price_cents / period_days
  const others = plans.filter(({ id, currency }) => id !== plan.id && currency === plan.currency)
  if (others.length > 0 && others.every((other) => perDay(plan) < perDay(other))) return 'best'
  return plan.highlight ? 'recommended' : undefined
}

export function planChoice(t: Translate, plan: Plan, plans: readonly Plan[] = []): Choice {
  return {
    kind: 'plan',
    id: plan.id,
    name: plan.name,
    text: plan.description,
    cents: plan.intro_price_cents ?? plan.price_cents,
    currency: plan.currency,
    terms: planTerms(t, plan),
    badge: badgeOf(plan, plans),
    renews: { cents: plan.price_cents, days: plan.period_days },
    ...(plan.intro_price_cents === undefined
      ? {}
      : { regular: { cents: plan.price_cents, terms: renewalTerms(t, plan) } }),
  }
}

/** Returns whether no gateway accepts the price of the unpaid period. The user may then choose another plan. */
export const isUnpayable = ({ gateways }: NonNullable<Membership['owed']>): boolean => gateways?.length === 0

/** Returns the choice to pay the unpaid period of a subscription that is past due, at the price of that period. */
export function owedChoice(
  t: Translate,
  owed: Pick<Plan, 'id' | 'name' | 'price_cents' | 'currency' | 'period_days'>,
  plans: Plan[],
): Choice {
  const text = plans.find(({ id }) => id === owed.id)?.description ?? ''
  const { id, name, price_cents: cents, currency, period_days: days } = owed
  const terms = renewalTerms(t, owed)
  return { kind: 'plan', id, name, text, cents, currency, terms, owed: true, renews: { cents, days } }
}

function oneTimePrice(t: Translate, cents: number, currency: string) {
  return { cents, currency, terms: t('pay.once', { price: money(cents, currency) }) }
}

export function episodeChoice(t: Translate, { episode, price }: Pick<Offer, 'episode' | 'price'>): Choice {
  const text = t('pay.episodeText', { number: episode.number })
  return {
    kind: 'episode',
    id: episode.id,
    name: t('pay.episode'),
    text,
    ...oneTimePrice(t, price.episode_cents, price.currency),
  }
}

interface WholeVideo {
  id: string
  price: Offer['price']
  /** Number of all episodes, including those that cannot be played yet. */
  count: number
  /** True if some episodes cannot be played yet. */
  hasUnreadyEpisodes: boolean
}

/** Returns the whole video as a choice. Its text says if some episodes cannot be played yet. */
export function videoChoice(t: Translate, { id, price, count, hasUnreadyEpisodes }: WholeVideo): Choice {
  const all = t('pay.videoText', { count })
  const text = hasUnreadyEpisodes ? `${all}. ${t('pay.videoIncomplete')}` : all
  return {
    kind: 'video',
    id,
    name: t('pay.video'),
    text,
    ...oneTimePrice(t, price.video_cents, price.currency),
  }
}
