import { declineCodes, type OrderGatewayId } from '#contract/billing.ts'
import type { ListedOrder } from '#contract/studio/orders.ts'
import type { Translate } from '#web/studio/texts.ts'

/** The path of the list of orders. */
export const ordersPath = '/studio/payments'

/** Returns the reason of a dispute as text. A reason without a translation is shown in the words of the gateway. */
export function reasonText(reason: string | null, t: Translate): string {
  const known = disputeReasons.find((each) => each === reason)
  if (known) return t(`payments.disputeReasons.${known}`)
  return reason?.replaceAll('_', ' ') ?? '–'
}

const disputeReasons = [
  'fraudulent',
  'unauthorised',
  'unauthorized',
  'duplicate',
  'subscription_canceled',
  'product_not_received',
  'merchandise_or_service_not_received',
  'merchandise_or_service_not_as_described',
  'product_unacceptable',
  'credit_not_processed',
  'unrecognized',
  'general',
] as const

/** The gateways' names. */
export const gatewayNames: Record<OrderGatewayId, string> = {
  sandbox: 'Sandbox',
  stripe: 'Stripe',
  paypal: 'PayPal',
  balance: 'Balance',
}

/**
 * Returns the reason why a payment was declined, as text. A code that only an older version of the site used is shown
 * unchanged.
 */
export function declineText(code: string, t: Translate): string {
  const known = declineCodes.find((each) => each === code)
  return known ? t(`payments.decline.${known}`) : code
}

/** Returns the name of the purchased item: a plan, a video, an episode with its number, or a top-up. */
export function productName(
  t: Translate,
  { kind, title, number }: Pick<ListedOrder, 'kind' | 'title' | 'number'>,
): string {
  if (kind === 'top_up') return t('topUps.topUp')
  return number === null ? title : `${title} ·\u00a0${number}`
}
