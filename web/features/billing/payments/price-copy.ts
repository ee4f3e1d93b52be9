import type { Offer, Order, Plan, SavedPaymentMethod } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import type { Translate } from '#web/i18n/index.ts'
import type { OrderFormParams } from '#web/lib/paths.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { money } from '#web/lib/format-money.ts'

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

/** Describes a plan's price and renewal: "$4.99 for the first 7 days, then $9.99 every 7 days until you cancel". */
export function planTerms(t: Translate, plan: Plan): string {
  const { price_cents, intro_price_cents, currency, period_days } = plan
  const price = money(price_cents, currency)
  const days = t('pay.days', { count: period_days })
  if (intro_price_cents === undefined) return t('pay.renewsEvery', { price, days, count: period_days })
  const intro = money(intro_price_cents, currency)
  return t('pay.introThen', { intro, price, days, count: period_days })
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
    ...(plan.intro_price_cents === undefined ? {} : { regular: regularPrice(t, plan) }),
  }
}

/** Returns whether no gateway accepts the price of the unpaid period. The user may then choose another plan. */
export const isUnpayable = ({ gateways }: NonNullable<Membership['owed']>): boolean => gateways?.length === 0

/** Returns the unpaid period of a subscription that is past due as a choice, at its own price. */
export function owedChoice(
  t: Translate,
  owed: Pick<Plan, 'id' | 'name' | 'price_cents' | 'currency' | 'period_days'>,
  plans: Plan[],
): Choice {
  const text = plans.find(({ id }) => id === owed.id)?.description ?? ''
  const { cents, terms } = regularPrice(t, owed)
  const { id, name, currency, period_days: days } = owed
  return { kind: 'plan', id, name, text, cents, currency, terms, owed: true, renews: { cents, days } }
}

function regularPrice(
  t: Translate,
  { price_cents: cents, currency, period_days }: Pick<Plan, 'price_cents' | 'currency' | 'period_days'>,
) {
  const [price, days] = [money(cents, currency), t('pay.days', { count: period_days })]
  return { cents, terms: t('pay.renewsEvery', { price, days, count: period_days }) }
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

/** Describes a membership: the plan, its end, the renewal or next plan, and a failed payment. */
export function membershipText(t: Translate, membership: Membership): string {
  const {
    plan,
    next_plan,
    owed,
    status,
    grace_until,
    renews_at,
    ends_at,
    cancel_at_period_end: cancelled,
  } = membership
  if (!plan) return ''
  const { name, currency } = plan
  if (membership.method_detached) {
    if (status === 'past_due')
      return t('shopping.pastDueMethodRemoved', {
        name: owed?.name ?? name,
        date: formatLongDate(grace_until),
      })
    return t('shopping.methodRemoved', { name, date: formatLongDate(ends_at) })
  }
  if (status === 'past_due') {
    const pastDueKey = owed && isUnpayable(owed) ? 'shopping.pastDueUnsupported' : 'shopping.pastDue'
    return t(cancelled ? 'shopping.pastDueEnds' : pastDueKey, {
      name: owed?.name ?? name,
      date: formatLongDate(grace_until),
    })
  }
  if (cancelled) return t('shopping.ends', { name, date: formatLongDate(ends_at) })
  const renews = t('shopping.renews', { name, date: formatLongDate(renews_at) })
  // Data that an earlier release stored in the browser has no price.
  if (!currency) return renews
  if (!next_plan) return `${renews} ${renewalText(t, plan)}`
  return `${nextPlanText(t, name, renews_at, next_plan)} ${renewalText(t, next_plan)}`
}

/**
 * Describes a change of plan: when the current plan ends, when the new plan is charged, and that nothing is charged
 * now.
 */
export function planChangeText(t: Translate, plan: Plan, membership: Membership): string {
  const { plan: currentPlan, renews_at, ends_at, cancel_at_period_end: cancelled } = membership
  return [
    nextPlanText(t, currentPlan?.name ?? '', renews_at ?? ends_at, plan),
    renewalText(t, plan),
    t('shopping.notChargedNow'),
    cancelled ? t('shopping.alsoResumes') : '',
    t('pay.cancelAnyTime'),
  ]
    .filter(Boolean)
    .join(' ')
}

/** Returns the status of an order, for a list. */
export function orderStatusText(t: Translate, { status, starts_at, processing, auto_refund }: Order): string {
  if (starts_at) return t('orders.starts', { date: formatLongDate(starts_at) })
  if (starts_at === null) return t('orders.startCancelled')
  if (processing) return t('orders.status.processing')
  return auto_refund ? auto_refund.message : t(`orders.status.${status}`)
}

/** Describes the status of one order. While the order loads, says that the payment is pending. */
export function orderResultText(t: Translate, order: Order | undefined): string {
  if (!order) return t('result.pending')
  const { status, starts_at, declined, processing, auto_refund } = order
  if (auto_refund && !processing) return auto_refund.message
  if (declined) return declined.message
  if (starts_at) return t('result.starts', { date: formatLongDate(starts_at) })
  if (starts_at === null) return t('result.planChangeCancelled')
  if (processing) return t('result.processing')
  return t(`result.${isRefundedOrChargedBack(status) ? 'refunded' : status}`)
}

/**
 * Describes how much a withdrawal refunds. The amount is missing if everything was refunded before, or if a disputed
 * payment is held by the bank.
 */
export function withdrawalText(
  t: Translate,
  { amount_cents, currency }: { amount_cents?: number; currency?: string },
): string {
  if (!amount_cents || !currency) return t('emailLink.withdrawDoneNothing')
  return t('emailLink.withdrawDoneText', { amount: money(amount_cents, currency) })
}

function isRefundedOrChargedBack(
  status: Order['status'],
): status is 'partially_refunded' | 'refunded' | 'charged_back' {
  return status === 'partially_refunded' || status === 'refunded' || status === 'charged_back'
}

function nextPlanText(t: Translate, name: string, at: string | null, next: { name: string }): string {
  const date = formatLongDate(at)
  return `${t('shopping.paid', { name, date })} ${t('shopping.nextPlanStarts', { name: next.name, date })}`
}

function renewalText(t: Translate, plan: Pick<Plan, 'price_cents' | 'currency' | 'period_days'>): string {
  return regularPrice(t, plan).terms
}

/** Returns whether the payment of an order may still succeed. The user should then not pay again. */
export const mayStillBePaid = ({ status, next, declined, processing }: Order): boolean =>
  status === 'pending' ? next.type === 'none' && !declined : processing === true

/** Returns whether an order is closed without a payment in progress. */
export const isClosedUnpaid = ({ status, processing }: Order): boolean =>
  (status === 'cancelled' || status === 'failed' || status === 'expired') && !processing

/** Returns whether an order was paid and then fully refunded or charged back. */
export const isFullyRefunded = ({ status }: Order): boolean =>
  status === 'refunded' || status === 'charged_back'

/** Returns whether an order was declined, closed unpaid or fully refunded, so that the offer must be shown again. */
export const shouldShowOfferAgain = (order: Order): boolean =>
  order.declined !== undefined ||
  isClosedUnpaid(order) ||
  (!order.processing && (order.auto_refund !== undefined || isFullyRefunded(order)))

/** Explains why an order is still unpaid after its payment was polled. */
export function unpaidText(t: Translate, order: Order): string {
  if (order.declined) return order.declined.message
  if (mayStillBePaid(order)) return t('order.outcomeUnknown')
  if (order.status === 'pending') return t('order.notConfirmed')
  return order.auto_refund?.message ?? t('order.failed')
}

/** Describes how long the user must wait after too many attempts, in whole minutes, rounded up. */
export function waitText(t: Translate, { retryAfter = 60 }: { retryAfter?: number | undefined }): string {
  return t('order.tooManyAttempts', { count: Math.ceil(retryAfter / 60) })
}

/**
 * Returns the terms of a choice for the pay panel. If the purchase has no order form, they include the text about the
 * right of withdrawal that the form would show.
 */
export function panelTerms(t: Translate, { kind, terms }: Choice, withoutForm: boolean): string {
  // The terms of a top-up already include the text about withdrawal.
  const withdrawal = withoutForm && kind !== 'top_up'
  const parts = [terms, kind === 'plan' && t('pay.cancelAnyTime'), withdrawal && t('order.withdrawal')]
  return parts.filter(Boolean).join(' ')
}

/** Returns the order fields with the price shown to the user. The server refuses the order if its price differs. */
export const acceptedPriceFields = ({ cents, bonusCents }: Pick<Choice, 'cents' | 'bonusCents'>) =>
  bonusCents === undefined ? { amount_cents: cents } : { amount_cents: cents, bonus_cents: bonusCents }

/** Returns the text beside a button, which the user accepts by pressing the button. */
export function acceptedTextOf(
  { name, text, cents, currency }: Choice,
  terms: string,
  label: (price: string) => string,
): string {
  return `${name}: ${text}. ${terms} [${label(money(cents, currency))}]`
}

/** Returns the label of a saved card on buttons: "•••• 4242". */
export const maskedCardNumber = ({ last4 }: Pick<SavedPaymentMethod, 'last4'>): string =>
  `•••• ${last4 ?? ''}`

/** Returns a function that creates the label of the pay button for a price. */
export function payLabel(
  t: Translate,
  { kind, owed }: Pick<Choice, 'kind' | 'owed'>,
): (price: string) => string {
  return (price) => t(kind === 'plan' && !owed ? 'pay.subscribe' : 'pay.pay', { price })
}

/**
 * Returns a function that creates the label of an express wallet's button for a price, for the accepted text. The
 * button itself shows the wallet's own name.
 */
export function expressLabel(t: Translate): (price: string) => string {
  return (price) => t('pay.payWith', { price, card: t('pay.wallet') })
}
