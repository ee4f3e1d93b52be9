// Runs a process that refunds an order, and that may be killed meanwhile (crash-in-billing.ts).
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { crashInBilling } from './crash-in-billing.ts'

const [url = '', orderId = '', ...place] = process.argv.slice(2)
await crashInBilling(url, place, async (context) => {
  await refundOrder(context, orderId, { reason: 'goodwill' })
})
