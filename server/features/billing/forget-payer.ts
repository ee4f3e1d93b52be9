import { askToForget } from './call-gateway.ts'
import type { BillingContext } from './billing-context.ts'
import { nextCheck } from './check-schedule.ts'
import { deletePayer, hasOpenPayments, type PayerRow } from './payer-queries.ts'

/**
 * Has every gateway forget the name and address of somebody who left. The row goes once all have; else it is tried again. A
 * payment that is still under way is waited for.
 */
export async function forgetPayer(context: BillingContext, { id, checks }: PayerRow): Promise<void> {
  if (await forgottenByAll(context, id)) return deletePayer(context.db, id)
  if (nextCheck(checks + 1, context.clock.now()) === null)
    context.log.error(
      { user: id },
      'somebody who left was not forgotten by a gateway after the last try; please remove the customer there',
    )
}

async function forgottenByAll(context: BillingContext, id: string): Promise<boolean> {
  if (await hasOpenPayments(context.db, id)) return false
  for (const gateway of context.gateways)
    if (gateway.forgetPayer && !(await askToForget(context, gateway, (asked) => asked.forgetPayer?.(id))))
      return false
  return true
}
