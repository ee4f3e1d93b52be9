import type { GatewayId } from '#contract/billing.ts'
import type { ListedOrder } from '#contract/studio/orders.ts'

/** Where the orders are listed. */
export const ordersPath = '/studio/money'

/** What gateways call themselves. */
export const gatewayNames: Record<GatewayId, string> = {
  sandbox: 'Sandbox',
  stripe: 'Stripe',
  paypal: 'PayPal',
}

/** What was bought: a plan, a video, or an episode with its number. */
export const goodsOf = ({ title, number }: Pick<ListedOrder, 'title' | 'number'>): string =>
  number === null ? title : `${title} · ${number}`
