import type { Log } from '#server/platform/log.ts'
import { withTimeout } from '#server/platform/with-timeout.ts'
import { redactGatewayError } from './redact-gateway-error.ts'
import {
  GatewayRefused,
  type Payment,
  type PaymentGateway,
  type MethodSetup,
  type FindBookedPayments,
} from './gateway.ts'

/** Time limit of one gateway call, in milliseconds. */
export const gatewayTimeoutMs = 20_000
/** Time limit of a list, or of each page of a list that has pages, in milliseconds. */
const listTimeoutMs = 5 * 60_000

/**
 * The outcome of a call: a payment or a setup, `null` if there is none, or `unknown` if the call failed or timed out.
 * An unknown outcome is never treated as a failed payment.
 */
export type Outcome<T> = T | null | 'unknown'

export interface GatewayCallContext {
  log: Log
  gatewayTimeoutMs?: number
}

/** Calls a gateway within its time limit, without retries. */
export async function callGateway<T extends Payment | MethodSetup>(
  context: GatewayCallContext,
  gateway: PaymentGateway,
  call: (gateway: PaymentGateway) => Promise<T | null>,
): Promise<Outcome<T>> {
  try {
    return await withTimeout(context.gatewayTimeoutMs ?? gatewayTimeoutMs, call(gateway))
  } catch (error) {
    context.log.warn({ ...redactGatewayError(error), gateway: gateway.id }, 'a call to a gateway failed')
    return 'unknown'
  }
}

/**
 * Requests the e-mail address of a payment's payer.
 * @returns undefined if the gateway has none; `unknown` if the call fails
 */
export async function fetchPayerEmail(
  context: GatewayCallContext,
  gateway: PaymentGateway,
  reference: string,
): Promise<string | undefined | 'unknown'> {
  try {
    return await withTimeout(context.gatewayTimeoutMs ?? gatewayTimeoutMs, gateway.findEmail(reference))
  } catch (error) {
    context.log.warn(
      { ...redactGatewayError(error), gateway: gateway.id },
      "the payer's e-mail address could not be read from a gateway",
    )
    return 'unknown'
  }
}

/** Requests a refund. @returns `done`, `refused` (permanently), or `unknown` */
export async function requestRefund(
  context: GatewayCallContext,
  gateway: PaymentGateway,
  refund: { reference: string; amountCents: number; key: string },
): Promise<'done' | 'refused' | 'unknown'> {
  try {
    await withTimeout(context.gatewayTimeoutMs ?? gatewayTimeoutMs, gateway.refundPayment(refund))
    return 'done'
  } catch (error) {
    context.log.error(
      { ...redactGatewayError(error), gateway: gateway.id, reference: refund.reference },
      'a refund failed at the gateway',
    )
    return error instanceof GatewayRefused ? 'refused' : 'unknown'
  }
}

/**
 * Lists a gateway's payments, and passes each page to `use` before it requests the next one.
 * @returns whether all pages were listed; false if a call failed
 */
export async function listGatewayPayments(
  context: GatewayCallContext,
  gateway: PaymentGateway,
  list: { since: Date; findBooked: FindBookedPayments },
  use: (page: readonly Payment[]) => Promise<void>,
): Promise<boolean> {
  const pages = gateway.listPayments(list.since, list.findBooked)[Symbol.asyncIterator]()
  for (;;) {
    const next = await withTimeout(listTimeoutMs, pages.next()).catch((error: unknown) => {
      context.log.warn(
        { ...redactGatewayError(error), gateway: gateway.id },
        'the payments of a gateway could not be listed',
      )
    })
    if (!next) return false
    if (next.done) return true
    await use(next.value)
  }
}

/** Lists a gateway's disputed payments. @returns undefined if the call fails */
export async function listGatewayDisputes(
  context: GatewayCallContext,
  gateway: PaymentGateway,
  since: Date,
): Promise<Payment[] | undefined> {
  try {
    return await withTimeout(listTimeoutMs, gateway.listDisputedPayments?.(since) ?? Promise.resolve([]))
  } catch (error) {
    context.log.warn(
      { ...redactGatewayError(error), gateway: gateway.id },
      'the disputes of a gateway could not be listed',
    )
    return undefined
  }
}

/** Deletes a method or a customer at a gateway. @returns whether it succeeded */
export async function deleteAtGateway(
  context: GatewayCallContext,
  gateway: PaymentGateway,
  call: (gateway: PaymentGateway) => Promise<void> | undefined,
): Promise<boolean> {
  try {
    await withTimeout(context.gatewayTimeoutMs ?? gatewayTimeoutMs, call(gateway) ?? Promise.resolve())
    return true
  } catch (error) {
    context.log.warn(
      { ...redactGatewayError(error), gateway: gateway.id },
      'a payment method or customer could not be deleted at a gateway',
    )
    return false
  }
}

/** Queries whether a gateway still has a method. */
export async function checkMethodAttached(
  context: GatewayCallContext,
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
      'a payment method could not be looked up at a gateway',
    )
    return 'unknown'
  }
}
