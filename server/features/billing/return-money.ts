import type { BillingContext } from './billing-context.ts'
import { selectRefunds } from './refund-queries.ts'
import { sendRefund } from './send-refund.ts'

/** Sends back what an attempt brought in for nothing, as was noted before. What fails is tried again by the janitor. */
export async function returnMoney(context: BillingContext, attemptId: string): Promise<void> {
  for (const refund of await selectRefunds(context.db, attemptId)) {
    if (refund.status === 'started') await sendRefund(context, refund)
  }
}
