import type { BillingContext } from './billing-context.ts'
import { runJanitor } from './janitor.ts'

/** What has to come round (billing.md, "Crash safety"). */
export function billingJobs(context: BillingContext) {
  return [{ name: 'billing-janitor', everySeconds: 10, run: () => runJanitor(context) }]
}
