import { Refusal } from '#contract/errors.ts'
import type { GatewayId, OfferedGateway } from '#contract/billing.ts'
import type { BillingContext } from './billing-context.ts'
import type { PaymentGateway } from './gateway.ts'
import type { OrderKind, PaymentMethod } from './tables.ts'

type Gateways = Pick<BillingContext, 'gateways'>

/** The gateway of an order or attempt. @throws Refusal gatewayNotOffered where it is no longer set up */
export function gatewayOf({ gateways }: Gateways, { gateway }: { gateway: GatewayId }): PaymentGateway {
  const found = gateways.find(({ id }) => id === gateway)
  if (!found) throw new Refusal('gatewayNotOffered')
  return found
}

interface Way {
  gateway: GatewayId
  method: PaymentMethod
  kind: OrderKind
}

/** @throws Refusal gatewayNotOffered where this gateway, or this kind of it, is not offered here for what is bought */
export function checkOffered(context: Gateways, { gateway, method, kind }: Way): PaymentGateway {
  const found = gatewayOf(context, { gateway })
  const fits = found.methods.includes(method) && !(kind === 'plan' && found.oneOffOnly)
  if (!fits) throw new Refusal('gatewayNotOffered')
  return found
}

/** @throws Refusal gatewayNotOffered where the gateway takes no such amount */
export function checkAmount(
  context: Gateways,
  gateway: GatewayId,
  { amount_cents, currency }: { amount_cents: number; currency: string },
): void {
  if (!takesAmount(gatewayOf(context, { gateway }), { amount_cents, currency }))
    throw new Refusal('gatewayNotOffered')
}

/** Whether a gateway takes such an amount: some know a least one, or no fractions of a currency. */
export function takesAmount(
  gateway: PaymentGateway,
  { amount_cents, currency }: { amount_cents: number; currency: string },
): boolean {
  return gateway.takes?.(amount_cents, currency) ?? true
}

/** Whether any gateway takes such an amount. */
export function isPayable(
  { gateways }: Gateways,
  price: { amount_cents: number; currency: string },
): boolean {
  return gateways.some((gateway) => takesAmount(gateway, price))
}

/** The ways to pay, one entry per gateway and kind. */
export function offeredGateways({ gateways }: Gateways): OfferedGateway[] {
  return gateways.flatMap(({ id, methods, publicKey, oneOffOnly }) =>
    methods.map((kind) => ({
      id,
      kind,
      ...(publicKey === undefined ? {} : { public_key: publicKey }),
      ...(oneOffOnly ? { one_off_only: true } : {}),
    })),
  )
}
