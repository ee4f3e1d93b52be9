import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { callGateway } from '#server/features/billing/gateways/call-gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import { recheckAttempt, settleAttempt } from './settle-attempt.ts'

/**
 * Cancels a payment that waits for the user, because the user pays by another method or has not returned. If the
 * payment has succeeded in the meantime, settles it as succeeded.
 */
export async function cancelAttempt(context: BillingContext, attempt: AttemptRow): Promise<void> {
  const { reference } = attempt
  const gateway = findGateway(context, attempt.gateway)
  if (reference === null || !gateway) return recheckAttempt(context, attempt)
  const outcome = await callGateway(context, gateway, (client) => client.cancelPayment(reference))
  await settleAttempt(context, attempt, outcome ?? 'never received')
}
