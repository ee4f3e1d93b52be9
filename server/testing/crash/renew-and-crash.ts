// Runs a process that renews a subscription, and that may be killed meanwhile (crash-in-billing.ts).
import { renewSubscription } from '#server/features/billing/jobs/renew-subscription.ts'
import { crashInBilling } from './crash-in-billing.ts'

const [url = '', subscriptionId = '', ...place] = process.argv.slice(2)
await crashInBilling(url, place, (context) => renewSubscription(context, subscriptionId))
