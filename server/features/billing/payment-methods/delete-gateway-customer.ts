import { deleteAtGateway } from '#server/features/billing/gateways/call-gateway.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import {
  finishCustomerDeletion,
  hasOpenPayments,
  type GatewayCustomerRow,
} from '#server/features/billing/records/gateway-customer-queries.ts'

/**
 * Deletes the name and e-mail address of a deleted user at every gateway. Waits for a payment that is still in
 * progress. The row is deleted after all gateways have succeeded. Until then, the janitor retries the deletion.
 */
export async function deleteGatewayCustomer(
  context: BillingContext,
  { id, poll_count }: GatewayCustomerRow,
): Promise<void> {
  if (await deletedAtAllGateways(context, id)) return finishCustomerDeletion(context.db, id)
  if (nextPoll(poll_count + 1, context.clock.now()) === null)
    context.log.error(
      { user: id },
      'a customer could not be deleted at a gateway after the last retry; delete the customer there',
    )
}

async function deletedAtAllGateways(context: BillingContext, id: string): Promise<boolean> {
  if (await hasOpenPayments(context.db, id)) return false
  for (const gateway of context.gateways)
    if (
      gateway.deleteCustomer &&
      !(await deleteAtGateway(context, gateway, (client) => client.deleteCustomer?.(id)))
    )
      return false
  return true
}
