// A process that pays an order. `crashInBilling` may kill the process meanwhile.
import { payOrder } from '#server/features/billing/payments/pay-order.ts'
import { crashInBilling } from './crash-in-billing.ts'

const [url = '', userId = '', orderId = '', token = '', ...place] = process.argv.slice(2)
// Without a token, the order's saved card is charged.
const payer = { ip: '127.0.0.1', token: token || undefined, firstName: 'Ada', lastName: 'Lovelace' }
await crashInBilling(url, place, (context) => payOrder(context, userId, orderId, payer))
