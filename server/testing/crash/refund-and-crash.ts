// A process that refunds an order. `crashInBilling` may kill the process meanwhile.
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { crashInBilling } from './crash-in-billing.ts'

const [url = '', orderId = '', ...place] = process.argv.slice(2)
await crashInBilling(url, place, async (context) => {
  await refundOrder(context, orderId, { reason: 'goodwill' })
})
