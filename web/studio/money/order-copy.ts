import { declineCodes, type OrderGatewayId } from '#contract/billing.ts'
import type { ListedOrder } from '#contract/studio/orders.ts'
import type { Say } from '#web/studio/texts.ts'

/** Where the orders are listed. */
export const ordersPath = '/studio/money'

/** What gateways call themselves. */
/** Why a dispute was opened. Gateways have other reasons besides, which are shown as they are. */
export function reasonText(reason: string | null, t: Say): string {
  const known = disputeReasons.find((each) => each === reason)
  if (known) return t(`money.disputeReasons.${known}`)
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

export const gatewayNames: Record<OrderGatewayId, string> = {
  sandbox: 'Sandbox',
  stripe: 'Stripe',
  paypal: 'PayPal',
  balance: 'Balance',
}

/** Why a payment did not go through, in words; a reason that an older site wrote stays as it is. */
export function declineText(code: string, t: Say): string {
  const known = declineCodes.find((each) => each === code)
  return known ? t(`money.decline.${known}`) : code
}

/** What was bought: a plan, a video, or an episode with its number. */
export const goodsOf = ({ title, number }: Pick<ListedOrder, 'title' | 'number'>): string =>
  number === null ? title : `${title} ·\u00a0${number}`
