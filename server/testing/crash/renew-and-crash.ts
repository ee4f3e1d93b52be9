// A process that renews a subscription. `crashInBilling` may kill the process meanwhile.
import { renewSubscription } from '#server/features/billing/jobs/renew-subscription.ts'
import { crashInBilling } from './crash-in-billing.ts'

const [url = '', subscriptionId = '', ...place] = process.argv.slice(2)
await crashInBilling(url, place, (context) => renewSubscription(context, subscriptionId))
