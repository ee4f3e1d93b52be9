import { createHmac } from 'node:crypto'
import { equalsInConstantTime } from '#server/platform/equals-in-constant-time.ts'
import { orderKinds, paymentMethods } from '#contract/billing.ts'
import { storedLanguageOrDefault, type Language } from '#contract/languages.ts'
import { hasCardNumber } from '#server/platform/card-number.ts'
import { toLetters, type IdKind } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { selectLanguageOf, type OrderRow } from './order-queries.ts'
import { termsHashLength } from './accepted-terms-queries.ts'
import { selectSubscription } from './renewals/subscription-queries.ts'
import type { Consent, OrderKind, PaymentMethod } from '#server/features/billing/tables.ts'

/**
 * The purchase that is stored with a payment at the gateway. It suffices to restore the order if the database has lost
 * it.
 */
export interface Purchase {
  kind: OrderKind
  method: PaymentMethod
  userId: string
  language: Language
  videoId: string | null
  episodeId: string | null
  planId: string | null
  topUpId: string | null
  subscriptionId: string | null
  periodNo: number | null
  introductory: boolean
  /** The renewal price of the subscription. */
  agreedCents: number | null
  /** True for an automatic renewal. */
  renewal: boolean
  /** The buyer's consent, or null if none was required. */
  consent: Consent | null
  /** For a plan: the drama that is credited with the sale. */
  creditedVideoId: string | null
  /** The referrer token of the link that led the buyer to the site. */
  referrerToken: string | null
}

const version = '2'
/** The maximum length that PayPal stores. Stripe stores up to 500 characters. */
const maxEncodedLength = 256
const signatureLength = 16

const kindCodes: Record<OrderKind, string> = { plan: 'p', episode: 'e', video: 'v', top_up: 't' }
const methodCodes: Record<PaymentMethod, string> = { card: 'c', wallet: 'w' }

/**
 * Encodes an order's purchase as a text that is stored with its payment. The signature distinguishes payments of this
 * site from those of other sites that use the same account. The text has no click ids and no other data about the
 * browser.
 */
export async function encodePurchase(
  { secret, languages }: Pick<BillingContext, 'secret' | 'languages'>,
  tx: Tx,
  order: OrderRow,
  { renewal }: Pick<Purchase, 'renewal'>,
): Promise<string> {
  const { subscription_id: id, consent, attribution } = order
  const subscription = id === null ? undefined : await selectSubscription(tx, id)
  const fields = [
    version,
    kindCodes[order.kind],
    methodCodes[order.method],
    withoutPrefix('usr', order.user_id),
    await selectLanguageOf(tx, order.user_id, languages()),
    withoutPrefix('vid', order.video_id ?? attribution.video_id),
    withoutPrefix('ep', order.episode_id),
    // An order has either a plan or a top-up, so both use this field. The kind of the order distinguishes them.
    withoutPrefix('plan', order.plan_id ?? order.top_up_id),
    withoutPrefix('sub', order.subscription_id),
    order.period_no,
    order.introductory ? 'i' : '',
    subscription?.agreed_price_cents,
    renewal ? 'r' : '',
    ...encodeConsent(consent),
  ]
  const text = fields.map((field) => field ?? '').join(',')
  const token = encodeToken(attribution.referrer_token, maxEncodedLength - text.length - signatureLength - 2)
  const signed = `${text},${token}`
  return `${signed},${sign(secret, order.id, signed)}`
}

/**
 * Encodes a consent: whether immediate delivery was requested, the time, and the terms' hash if it has the current
 * length.
 */
function encodeConsent(consent: OrderRow['consent']): string[] {
  if (!consent) return ['', '', '']
  const { immediate_delivery, at, terms_hash = '' } = consent
  const seconds = Math.floor(Date.parse(at) / 1000)
  return [
    immediate_delivery ? 'd' : 'w',
    seconds.toString(36),
    terms_hash.length === termsHashLength ? terms_hash : '',
  ]
}

/** Encodes a referrer token. Returns '' if the token is too long or resembles a card number. */
function encodeToken(token: string | undefined, maxLength: number): string {
  const text = encodeURIComponent(token ?? '')
  return text.length > maxLength || hasCardNumber(text) ? '' : text
}

/**
 * Decodes the purchase that is stored with a payment.
 * @returns undefined if another site signed the text, or if the text has another version or an unknown kind or method
 */
export function decodePurchase(
  { secret }: Pick<BillingContext, 'secret'>,
  { orderId, purchase = '' }: Pick<Payment, 'orderId' | 'purchase'>,
): Purchase | undefined {
  const end = purchase.lastIndexOf(',')
  const text = purchase.slice(0, Math.max(end, 0))
  if (!equalsInConstantTime(purchase.slice(end + 1), sign(secret, orderId, text))) return undefined
  const [encodedVersion, kindCode, methodCode, user = '', language = '', ...more] = text.split(',')
  const [video, episode, plan, subscription, period, introductory, agreed, renewal, ...consentFields] = more
  const [delivery, at, termsHash, token = ''] = consentFields
  const kind = orderKinds.find((one) => kindCodes[one] === kindCode)
  const method = paymentMethods.find((one) => methodCodes[one] === methodCode)
  if (encodedVersion !== version || !kind || !method) return undefined
  const videoId = withPrefix('vid', video)
  return {
    kind,
    method,
    userId: withPrefix('usr', user) ?? '',
    language: storedLanguageOrDefault(language),
    videoId: kind === 'plan' ? null : videoId,
    episodeId: withPrefix('ep', episode),
    planId: kind === 'top_up' ? null : withPrefix('plan', plan),
    topUpId: kind === 'top_up' ? plan || null : null,
    subscriptionId: withPrefix('sub', subscription),
    periodNo: period ? Number(period) : null,
    introductory: introductory === 'i',
    agreedCents: agreed ? Number(agreed) : null,
    renewal: renewal === 'r',
    consent: decodeConsent(delivery, at, termsHash),
    creditedVideoId: kind === 'plan' ? videoId : null,
    referrerToken: token === '' ? null : decodeURIComponent(token),
  }
}

function decodeConsent(delivery: string | undefined, at: string | undefined, termsHash: string | undefined) {
  if (!delivery || !at) return null
  return {
    ...(termsHash ? { terms_hash: termsHash } : {}),
    immediate_delivery: delivery === 'd',
    at: new Date(parseInt(at, 36) * 1000).toISOString(),
  }
}

const randomPart = /^[0-9a-f]{32}$/

/** Removes an id's prefix if the rest has the usual random form. Otherwise returns the whole id. */
function withoutPrefix(kind: IdKind, id: string | null | undefined): string {
  const part = id?.startsWith(`${kind}_`) ? id.slice(kind.length + 1) : ''
  return randomPart.test(part) ? part : (id ?? '')
}

function withPrefix(kind: IdKind, text: string | undefined): string | null {
  if (!text) return null
  return randomPart.test(text) ? `${kind}_${text}` : text
}

function sign(secret: string, orderId: string, text: string): string {
  const hash = createHmac('sha256', secret).update(`purchase|${orderId}|${text}`).digest()
  return toLetters(hash).slice(0, signatureLength)
}
