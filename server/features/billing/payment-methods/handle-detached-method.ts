import type { GatewayId } from '#contract/billing.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { askWhetherKept } from '#server/features/billing/gateways/call-gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import {
  retireMethod,
  selectMethodNamed,
  selectSubscriptionOf,
} from '#server/features/billing/records/method-queries.ts'
import {
  lockSubscriber,
  updateSubscription,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { dropGone } from './saved-method.ts'

/**
 * Finds out at the gateway whether a method that it has told of is still there. One that is gone is charged no more: the
 * subscription waits for another way to pay, as after a lost card.
 * @param reference the gateway's own name for it
 * @returns `no method` where it is none of ours, `unknown` where the gateway did not say
 */
export async function handleDetachedMethod(
  context: BillingContext,
  gatewayId: GatewayId,
  reference: string,
): Promise<'done' | 'unknown' | 'no method'> {
  const { db, clock } = context
  const gateway = findGateway(context, gatewayId)
  const method = await selectMethodNamed(db, gatewayId, reference)
  if (!gateway || !method) return 'no method'
  const kept = await askWhetherKept(context, gateway, method.reference)
  if (kept !== false) return kept === 'unknown' ? 'unknown' : 'done'
  await inTransaction(db, async (tx) => {
    const subscription = await selectSubscriptionOf(tx, method.id)
    if (subscription) {
      await lockSubscriber(tx, subscription.id)
      const now = clock.now()
      const still = await selectSubscriptionOf(tx, method.id)
      if (still) await updateSubscription(tx, still.id, { method_detached_at: now, due_at: now })
    }
    await dropGone(tx, method.user_id, method.id, clock.now())
    await retireMethod(tx, method.id, clock.now())
  })
  return 'done'
}
