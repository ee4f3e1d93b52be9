import { Refusal } from '#contract/errors.ts'
import type { OfferedGateway, OrderGatewayId, Plan } from '#contract/billing.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { PaymentGateway } from './gateway.ts'
import type { OrderKind, PaymentMethod } from '#server/features/billing/statuses.ts'

type Gateways = Pick<BillingContext, 'gateways'>

/** Returns the gateway with this id, or undefined if it is not configured. */
export function findGateway(
  { gateways }: Gateways,
  id: string | null | undefined,
): PaymentGateway | undefined {
  return gateways.find((gateway) => gateway.id === id)
}

/** Returns the gateway of an order or attempt. @throws Refusal gatewayNotOffered if it is not configured */
export function requireGateway(context: Gateways, { gateway }: { gateway: OrderGatewayId }): PaymentGateway {
  const found = findGateway(context, gateway)
  if (!found) throw new Refusal('gatewayNotOffered')
  return found
}

interface PaymentOption {
  gateway: OrderGatewayId
  method: PaymentMethod
  kind: OrderKind
}

/** Returns the gateway of a payment option. @throws Refusal gatewayNotOffered if it is not offered for the product */
export function checkOffered(context: Gateways, { gateway, method, kind }: PaymentOption): PaymentGateway {
  const found = requireGateway(context, { gateway })
  const isOffered = found.methods.includes(method) && !(kind === 'plan' && found.oneOffOnly)
  if (!isOffered) throw new Refusal('gatewayNotOffered')
  return found
}

/** Checks that the gateway accepts the amount. @throws Refusal gatewayNotOffered */
export function checkAmount(
  context: Gateways,
  gateway: OrderGatewayId,
  { amount_cents, currency }: { amount_cents: number; currency: string },
): void {
  if (!acceptsAmount(requireGateway(context, { gateway }), { amount_cents, currency }))
    throw new Refusal('gatewayNotOffered')
}

/** Returns whether a gateway accepts an amount. Some gateways have a minimum, or no decimals in some currencies. */
export function acceptsAmount(
  gateway: PaymentGateway,
  { amount_cents, currency }: { amount_cents: number; currency: string },
): boolean {
  return gateway.acceptsAmount?.(amount_cents, currency) ?? true
}

/** Returns whether any gateway accepts an amount. */
export function isPayable(
  { gateways }: Gateways,
  price: { amount_cents: number; currency: string },
): boolean {
  return gateways.some((gateway) => acceptsAmount(gateway, price))
}

/** A product on offer, and its price. */
export interface PricedProduct {
  /** The product's key: `episode`, `video`, or the id of a plan or a top-up. */
  productId: string
  /** All amounts that may be charged for the product. A plan may have two: the introductory and the regular price. */
  cents: readonly number[]
  currency: string
}

/** Returns the introductory and the regular price of a plan. */
export function priceOfPlan({
  id,
  price_cents,
  intro_price_cents: intro,
  currency,
}: Pick<Plan, 'id' | 'price_cents' | 'intro_price_cents' | 'currency'>): PricedProduct {
  return { productId: id, cents: intro === undefined ? [price_cents] : [intro, price_cents], currency }
}

const acceptsAllAmounts = (
  gateway: PaymentGateway,
  { cents, currency }: Omit<PricedProduct, 'productId'>,
): boolean => cents.every((amount_cents) => acceptsAmount(gateway, { amount_cents, currency }))

/** Returns whether a product can be bought with any of the gateways. */
export function isPurchasable(context: Gateways, price: PricedProduct, kind: OrderKind): boolean {
  return gatewaysFor(context, price, kind).length > 0
}

/** Returns the gateways with which a product can be bought. A plan needs a gateway that can charge a saved method. */
export function gatewaysFor(
  { gateways }: Gateways,
  price: Omit<PricedProduct, 'productId'>,
  kind: OrderKind,
): PaymentGateway[] {
  return gateways.filter(
    (gateway) => !(kind === 'plan' && gateway.oneOffOnly) && acceptsAllAmounts(gateway, price),
  )
}

/**
 * Returns the payment methods for the offered products, one entry per gateway and method. Each entry has the products
 * whose price the gateway does not accept. Omits a gateway that accepts none of the prices.
 */
export function offeredGateways(
  { gateways }: Gateways,
  prices: readonly PricedProduct[] = [],
): OfferedGateway[] {
  return gateways.flatMap((gateway) => {
    const { id, methods, publicKey, oneOffOnly } = gateway
    const refused = prices
      .filter((price) => !acceptsAllAmounts(gateway, price))
      .map(({ productId }) => productId)
    if (prices.length > 0 && refused.length === prices.length) return []
    return methods.map((kind) => ({
      id,
      kind,
      ...(publicKey === undefined ? {} : { public_key: publicKey }),
      ...(oneOffOnly ? { one_off_only: true } : {}),
      ...(refused.length > 0 ? { unsupported_products: refused } : {}),
    }))
  })
}
