import { deleteAtGateway } from '#server/features/billing/gateways/call-gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { deleteMethod, type MethodRow } from '#server/features/billing/records/method-queries.ts'

/**
 * Detaches a method at its gateway, so that it cannot be charged. Deletes the method's row if this succeeds. Otherwise
 * the janitor detaches it later.
 */
export async function detachMethod(context: BillingContext, method: MethodRow): Promise<void> {
  const gateway = findGateway(context, method.gateway)
  if (gateway && (await deleteAtGateway(context, gateway, (client) => client.detachMethod(method.reference))))
    return deleteMethod(context.db, method.id)
  if (nextPoll(method.detach_attempts + 1, context.clock.now()) === null)
    context.log.error(
      { method: method.id, gateway: method.gateway },
      'a payment method could not be detached after the last retry; remove it at the gateway',
    )
}
