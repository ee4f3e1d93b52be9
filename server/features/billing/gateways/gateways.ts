import { Refusal } from '#contract/errors.ts'
import type { OfferedGateway, OrderGatewayId, Plan } from '#contract/billing.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { PaymentGateway } from './gateway.ts'
import type { OrderKind, PaymentMethod } from '#server/features/billing/statuses.ts'

type Gateways = Pick<BillingContext, 'gateways'>

/** Returns the gateway of this id, or undefined if it is no longer configured. */
export function findGateway(
  { gateways }: Gateways,
  id: string | null | undefined,
): PaymentGateway | undefined {
  return gateways.find((gateway) => gateway.id === id)
}

/** Returns the gateway of an order or attempt. @throws Refusal gatewayNotOffered if it is no longer configured */
export function gatewayOf(context: Gateways, { gateway }: { gateway: OrderGatewayId }): PaymentGateway {
  const found = findGateway(context, gateway)
  if (!found) throw new Refusal('gatewayNotOffered')
  return found
}

interface Way {
  gateway: OrderGatewayId
  method: PaymentMethod
  kind: OrderKind
}

/** @throws Refusal gatewayNotOffered if this gateway or payment method is not offered here for the product */
export function checkOffered(context: Gateways, { gateway, method, kind }: Way): PaymentGateway {
  const found = gatewayOf(context, { gateway })
  const fits = found.methods.includes(method) && !(kind === 'plan' && found.oneOffOnly)
  if (!fits) throw new Refusal('gatewayNotOffered')
  return found
}

/** @throws Refusal gatewayNotOffered if the gateway does not take the amount */
export function checkAmount(
  context: Gateways,
  gateway: OrderGatewayId,
  { amount_cents, currency }: { amount_cents: number; currency: string },
): void {
  if (!takesAmount(gatewayOf(context, { gateway }), { amount_cents, currency }))
    throw new Refusal('gatewayNotOffered')
}

/** Returns whether a gateway takes an amount: some have a minimum, or no fractions of a currency. */
export function takesAmount(
  gateway: PaymentGateway,
  { amount_cents, currency }: { amount_cents: number; currency: string },
): boolean {
  return gateway.takes?.(amount_cents, currency) ?? true
}

/** Returns whether any gateway takes an amount. */
export function isPayable(
  { gateways }: Gateways,
  price: { amount_cents: number; currency: string },
): boolean {
  return gateways.some((gateway) => takesAmount(gateway, price))
}

/** A product on offer, and its price. */
export interface Priced {
  /** `episode`, `video`, or the id of a plan. */
  what: string
  /** All amounts that may be charged for it: for a plan also the introductory price. */
  cents: readonly number[]
  currency: string
}

/** Returns the introductory and the regular price of a plan. */
export function priceOfPlan({
  id,
  price_cents,
  intro_price_cents: intro,
  currency,
}: Pick<Plan, 'id' | 'price_cents' | 'intro_price_cents' | 'currency'>): Priced {
  return { what: id, cents: intro === undefined ? [price_cents] : [intro, price_cents], currency }
}

const isTaken = (gateway: PaymentGateway, { cents, currency }: Omit<Priced, 'what'>): boolean =>
  cents.every((amount_cents) => takesAmount(gateway, { amount_cents, currency }))

/** Returns whether a product can be bought with any of the gateways. */
export function canBeBought(context: Gateways, price: Priced, kind: OrderKind): boolean {
  return gatewaysFor(context, price, kind).length > 0
}

/** Returns the gateways with which a product can be bought; a plan needs one that can charge again. */
export function gatewaysFor(
  { gateways }: Gateways,
  price: Omit<Priced, 'what'>,
  kind: OrderKind,
): PaymentGateway[] {
  return gateways.filter((gateway) => !(kind === 'plan' && gateway.oneOffOnly) && isTaken(gateway, price))
}

/**
 * Returns the payment methods for what is offered, one entry per gateway and kind, each with the products whose amount it does
 * not take.
 */
export function offeredGateways({ gateways }: Gateways, prices: readonly Priced[] = []): OfferedGateway[] {
  return gateways.flatMap((gateway) => {
    const { id, methods, publicKey, oneOffOnly } = gateway
    const refused = prices.filter((price) => !isTaken(gateway, price)).map(({ what }) => what)
    if (prices.length > 0 && refused.length === prices.length) return []
    return methods.map((kind) => ({
      id,
      kind,
      ...(publicKey === undefined ? {} : { public_key: publicKey }),
      ...(oneOffOnly ? { one_off_only: true } : {}),
      ...(refused.length > 0 ? { not_for: refused } : {}),
    }))
  })
}
