import { askToForget } from '#server/features/billing/gateways/call-gateway.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import {
  deleteCustomerToDelete,
  hasOpenPayments,
  type GatewayCustomerRow,
} from '#server/features/billing/records/gateway-customer-queries.ts'

/**
 * Has every gateway forget the name and address of somebody who left. The row goes once all have; else it is tried again. A
 * payment that is still under way is waited for.
 */
export async function deleteGatewayCustomer(
  context: BillingContext,
  { id, checks }: GatewayCustomerRow,
): Promise<void> {
  if (await forgottenByAll(context, id)) return deleteCustomerToDelete(context.db, id)
  if (nextPoll(checks + 1, context.clock.now()) === null)
    context.log.error(
      { user: id },
      'somebody who left was not forgotten by a gateway after the last try; please remove the customer there',
    )
}

async function forgottenByAll(context: BillingContext, id: string): Promise<boolean> {
  if (await hasOpenPayments(context.db, id)) return false
  for (const gateway of context.gateways)
    if (
      gateway.deleteCustomer &&
      !(await askToForget(context, gateway, (asked) => asked.deleteCustomer?.(id)))
    )
      return false
  return true
}
