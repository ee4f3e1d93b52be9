import { createHmac, timingSafeEqual } from 'node:crypto'
import { keptLanguage, type Language } from '#contract/languages.ts'
import { lettersOf } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from './billing-context.ts'
import type { Payment } from './gateway.ts'
import { selectLanguageOf, type OrderRow } from './order-queries.ts'
import { selectSubscription } from './subscription-queries.ts'
import type { OrderKind, PaymentMethod } from './tables.ts'

/** What a payment buys and for whom: enough to make its order again where the database has lost it. */
export interface Purchase {
  kind: OrderKind
  method: PaymentMethod
  userId: string
  language: Language
  videoId: string | null
  episodeId: string | null
  planId: string | null
  subscriptionId: string | null
  periodNo: number | null
  introductory: boolean
  /** What the subscription costs when it renews. */
  agreedCents: number | null
  /** A renewal that the site charged by itself. */
  renewal: boolean
}

const version = '1'
const kinds: readonly OrderKind[] = ['plan', 'episode', 'video']
const methods: readonly PaymentMethod[] = ['card', 'wallet']

/**
 * What an order buys as a text that travels with its payment: at most 215 signs, since PayPal keeps 255 with the order's id. The
 * signature tells the payments of this site from those of another with the same account.
 */
export async function describePurchase(
  { secret, languages }: Pick<BillingContext, 'secret' | 'languages'>,
  tx: Tx,
  order: OrderRow,
  { renewal }: Pick<Purchase, 'renewal'>,
): Promise<string> {
  const { subscription_id: id } = order
  const subscription = id === null ? undefined : await selectSubscription(tx, id)
  const fields = [
    version,
    order.kind,
    order.method,
    order.user_id,
    await selectLanguageOf(tx, order.user_id, languages()),
    order.video_id,
    order.episode_id,
    order.plan_id,
    order.subscription_id,
    order.period_no,
    order.introductory ? 'i' : '',
    subscription?.agreed_cents,
    renewal ? 'r' : '',
  ]
  const text = fields.map((field) => field ?? '').join(',')
  return `${text},${sign(secret, order.id, text)}`
}

/** @returns undefined for a payment of another site, or of a version before payments said what they buy */
export function readPurchase(
  { secret }: Pick<BillingContext, 'secret'>,
  { orderId, purchase = '' }: Pick<Payment, 'orderId' | 'purchase'>,
): Purchase | undefined {
  const end = purchase.lastIndexOf(',')
  const text = purchase.slice(0, Math.max(end, 0))
  if (!isSame(purchase.slice(end + 1), sign(secret, orderId, text))) return undefined
  const [made, kindName, methodName, userId = '', language = '', ...more] = text.split(',')
  const [video, episode, plan, subscription, period, introductory, agreed, renewal] = more
  const kind = kinds.find((one) => one === kindName)
  const method = methods.find((one) => one === methodName)
  if (made !== version || !kind || !method) return undefined
  return {
    kind,
    method,
    userId,
    language: keptLanguage(language),
    videoId: video || null,
    episodeId: episode || null,
    planId: plan || null,
    subscriptionId: subscription || null,
    periodNo: period ? Number(period) : null,
    introductory: introductory === 'i',
    agreedCents: agreed ? Number(agreed) : null,
    renewal: renewal === 'r',
  }
}

const signatureLength = 16

function sign(secret: string, orderId: string, text: string): string {
  const hash = createHmac('sha256', secret).update(`purchase|${orderId}|${text}`).digest()
  return lettersOf(hash).slice(0, signatureLength)
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
