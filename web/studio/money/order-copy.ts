import { declineCodes, type OrderGatewayId } from '#contract/billing.ts'
import type { ListedOrder } from '#contract/studio/orders.ts'
import type { Say } from '#web/studio/texts.ts'

/** Where the orders are listed. */
export const ordersPath = '/studio/money'

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

/** What gateways call themselves. */
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

/** What was bought: a plan, a video, an episode with its number, or a top-up. */
export function goodsOf(
  t: Say,
  { kind, title, number }: Pick<ListedOrder, 'kind' | 'title' | 'number'>,
): string {
  if (kind === 'top_up') return t('topUps.topUp')
  return number === null ? title : `${title} ·\u00a0${number}`
}
