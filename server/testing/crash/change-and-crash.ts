// A process that changes how one subscription is charged and may end in the middle of it, as crash-in-billing.ts says.
import { changeMethod } from '#server/features/billing/payment-methods/change-method.ts'
import { crashInBilling } from './crash-in-billing.ts'

const [url = '', userId = '', changeId = '', token = '', ...place] = process.argv.slice(2)
const payer = { ip: '127.0.0.1', token, firstName: 'Ada', lastName: 'Lovelace' }
await crashInBilling(url, place, async (context) => {
  await changeMethod(context, { userId, changeId, gateway: 'sandbox', method: 'card', payer })
})
