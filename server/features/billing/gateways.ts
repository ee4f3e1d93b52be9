import { Refusal } from '#contract/errors.ts'
import type { GatewayId, OfferedGateway } from '#contract/billing.ts'
import type { BillingContext } from './billing-context.ts'
import type { PaymentGateway } from './gateway.ts'
import type { PaymentMethod } from './tables.ts'

type Gateways = Pick<BillingContext, 'gateways'>

/** The gateway of an order or attempt. @throws Refusal gatewayNotOffered where it is no longer set up */
export function gatewayOf({ gateways }: Gateways, { gateway }: { gateway: GatewayId }): PaymentGateway {
  const found = gateways.find(({ id }) => id === gateway)
  if (!found) throw new Refusal('gatewayNotOffered')
  return found
}

/** @throws Refusal gatewayNotOffered where this gateway, or this kind of it, is not offered here */
export function checkOffered(context: Gateways, gateway: GatewayId, method: PaymentMethod): PaymentGateway {
  const found = gatewayOf(context, { gateway })
  if (!found.methods.includes(method)) throw new Refusal('gatewayNotOffered')
  return found
}

/** The ways to pay, one entry per gateway and kind. */
export function offeredGateways({ gateways }: Gateways): OfferedGateway[] {
  return gateways.flatMap(({ id, methods, publicKey }) =>
    methods.map((kind) => ({ id, kind, ...(publicKey === undefined ? {} : { public_key: publicKey }) })),
  )
}
