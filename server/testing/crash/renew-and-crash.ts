// Runs a process that renews one subscription and may be killed in the middle of it (crash-in-billing.ts).
import { renewSubscription } from '#server/features/billing/jobs/renew-subscription.ts'
import { crashInBilling } from './crash-in-billing.ts'

const [url = '', subscriptionId = '', ...place] = process.argv.slice(2)
await crashInBilling(url, place, (context) => renewSubscription(context, subscriptionId))
