import type { Log } from '#server/platform/log.ts'
import { withTimeout } from '#server/platform/with-timeout.ts'
import { redactGatewayError } from './redact-gateway-error.ts'
import {
  GatewayRefused,
  type Payment,
  type PaymentGateway,
  type MethodSetup,
  type Settled,
} from './gateway.ts'

/** How long a gateway may take for one call. */
export const gatewayTimeoutMs = 20_000
/** How long it may take for all pages of a list. */
const listTimeoutMs = 5 * 60_000

/**
 * What came of a call: a payment or a saving, `null` for "there is none", or `unknown` for a time-out, a broken line or an
 * answer that made no sense. Unknown is never taken for failed (billing.md, "States").
 */
export type Outcome<T> = T | null | 'unknown'

export interface GatewayCalls {
  log: Log
  gatewayTimeoutMs?: number
}

/** Calls a gateway within its time-out. Nothing is sent again here. */
export async function askGateway<T extends Payment | MethodSetup>(
  context: GatewayCalls,
  gateway: PaymentGateway,
  call: (gateway: PaymentGateway) => Promise<T | null>,
): Promise<Outcome<T>> {
  try {
    return await withTimeout(context.gatewayTimeoutMs ?? gatewayTimeoutMs, call(gateway))
  } catch (error) {
    context.log.warn({ ...redactGatewayError(error), gateway: gateway.id }, 'a gateway gave no answer')
    return 'unknown'
  }
}

/** Asks for the address of the person who made a payment; undefined where the gateway has none. */
export async function askForEmail(
  context: GatewayCalls,
  gateway: PaymentGateway,
  reference: string,
): Promise<string | undefined | 'unknown'> {
  try {
    return await withTimeout(context.gatewayTimeoutMs ?? gatewayTimeoutMs, gateway.findEmail(reference))
  } catch (error) {
    context.log.warn({ ...redactGatewayError(error), gateway: gateway.id }, 'a gateway gave no address')
    return 'unknown'
  }
}

/** Asks for a refund. @returns `done`, `refused` (for good), or `unknown` */
export async function askRefund(
  context: GatewayCalls,
  gateway: PaymentGateway,
  refund: { reference: string; amountCents: number; key: string },
): Promise<'done' | 'refused' | 'unknown'> {
  try {
    await withTimeout(context.gatewayTimeoutMs ?? gatewayTimeoutMs, gateway.refundPayment(refund))
    return 'done'
  } catch (error) {
    context.log.error(
      { ...redactGatewayError(error), gateway: gateway.id, reference: refund.reference },
      'a refund did not go through',
    )
    return error instanceof GatewayRefused ? 'refused' : 'unknown'
  }
}

/** Has a gateway list its payments, which may take many pages. @returns undefined where it does not answer */
export async function askForPayments(
  context: GatewayCalls,
  gateway: PaymentGateway,
  since: Date,
  settled: Settled,
): Promise<Payment[] | undefined> {
  try {
    return await withTimeout(listTimeoutMs, gateway.listPayments(since, settled))
  } catch (error) {
    context.log.warn(
      { ...redactGatewayError(error), gateway: gateway.id },
      'a gateway did not list its payments',
    )
    return undefined
  }
}

/** Has a gateway list the payments with disputes. @returns undefined where it does not answer */
export async function askForDisputed(
  context: GatewayCalls,
  gateway: PaymentGateway,
  since: Date,
): Promise<Payment[] | undefined> {
  try {
    return await withTimeout(listTimeoutMs, gateway.listDisputed?.(since) ?? Promise.resolve([]))
  } catch (error) {
    context.log.warn(
      { ...redactGatewayError(error), gateway: gateway.id },
      'a gateway did not list its disputes',
    )
    return undefined
  }
}

/** Has a gateway forget a method or a person. @returns whether it has */
export async function askToForget(
  context: GatewayCalls,
  gateway: PaymentGateway,
  call: (gateway: PaymentGateway) => Promise<void> | undefined,
): Promise<boolean> {
  try {
    await withTimeout(context.gatewayTimeoutMs ?? gatewayTimeoutMs, call(gateway) ?? Promise.resolve())
    return true
  } catch (error) {
    context.log.warn({ ...redactGatewayError(error), gateway: gateway.id }, 'a gateway did not forget')
    return false
  }
}

/** Asks whether a gateway still has a method. */
export async function askWhetherKept(
  context: GatewayCalls,
  gateway: PaymentGateway,
  methodReference: string,
): Promise<boolean | 'unknown'> {
  try {
    return await withTimeout(
      context.gatewayTimeoutMs ?? gatewayTimeoutMs,
      gateway.isMethodAttached(methodReference),
    )
  } catch (error) {
    context.log.warn(
      { ...redactGatewayError(error), gateway: gateway.id },
      'a gateway did not say whether it has a payment method',
    )
    return 'unknown'
  }
}
