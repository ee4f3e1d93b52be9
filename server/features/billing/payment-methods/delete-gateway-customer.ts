import { deleteAtGateway } from '#server/features/billing/gateways/call-gateway.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import {
  finishCustomerDeletion,
  hasOpenPayments,
  type GatewayCustomerRow,
} from '#server/features/billing/records/gateway-customer-queries.ts'

/**
 * Deletes the name and address of a deleted user at every gateway. The row is deleted once all have succeeded; otherwise it is
 * retried. A payment that is still in progress is awaited.
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
