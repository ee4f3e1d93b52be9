import type { GatewayId } from '#contract/billing.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { checkMethodAttached } from '#server/features/billing/gateways/call-gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import {
  lockMethodOwner,
  queueMethodDetach,
  selectMethodByShortReference,
  selectSubscriptionOfMethod,
} from '#server/features/billing/records/method-queries.ts'
import { updateSubscription } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { removeDetachedMethod } from './saved-method.ts'

/**
 * Asks the gateway whether it still has the payment method of a webhook event. If not, the method is no longer charged.
 * The subscription that it paid becomes due, so that the user is asked for another method.
 * @param reference the gateway's id of the method
 * @returns `done`; `no method` if the method is not stored or its gateway is not configured; `unknown` if the gateway
 * does not answer
 */
export async function handleDetachedMethod(
  context: BillingContext,
  gatewayId: GatewayId,
  reference: string,
): Promise<'done' | 'unknown' | 'no method'> {
  const { db, clock } = context
  const gateway = findGateway(context, gatewayId)
  const method = await selectMethodByShortReference(db, gatewayId, reference)
  if (!gateway || !method) return 'no method'
  const exists = await checkMethodAttached(context, gateway, method.reference)
  if (exists !== false) return exists === 'unknown' ? 'unknown' : 'done'
  await inTransaction(db, async (tx) => {
    const owner = await lockMethodOwner(tx, method.id)
    if (owner === undefined) return
    const now = clock.now()
    const subscription = await selectSubscriptionOfMethod(tx, method.id)
    if (subscription)
      await updateSubscription(tx, subscription.id, { method_detached_at: now, next_run_at: now })
    await removeDetachedMethod(tx, owner, method.id, now)
    await queueMethodDetach(tx, method.id, now)
  })
  return 'done'
}
