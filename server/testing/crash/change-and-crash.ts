// A process that changes a subscription's payment method. `crashInBilling` may kill the process meanwhile.
import { changePaymentMethod } from '#server/features/billing/payment-methods/change-method.ts'
import { crashInBilling } from './crash-in-billing.ts'

const [url = '', userId = '', setupId = '', token = '', ...place] = process.argv.slice(2)
const payer = { ip: '127.0.0.1', token, firstName: 'Ada', lastName: 'Lovelace' }
await crashInBilling(url, place, async (context) => {
  await changePaymentMethod(context, { userId, setupId, gateway: 'sandbox', method: 'card', payer })
})
