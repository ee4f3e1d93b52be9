import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'
import { fromPaypal, toPaypal } from './amounts.ts'
import type { Order, Refund } from './objects.ts'
import { PaypalRefusal, type PaypalClient } from './paypal-client.ts'
import { captureOf } from './present-order.ts'
import { readOrder } from './read-order.ts'

/** Temporary refusals: the capture is pending, the account lacks money, or a dispute is open. */
const temporaryIssues = new Set([
  'PENDING_CAPTURE',
  'REFUND_FAILED_INSUFFICIENT_FUNDS',
  'TRANSACTION_DISPUTED',
])

/**
 * Makes a refund once per key, even if the request is repeated days later, when PayPal has forgotten the key. Each
 * refund stores the key as `custom_id`, and each request first searches for a refund with this key.
 * @throws GatewayRefused if the amount exceeds the refundable amount or PayPal permanently refuses to refund this
 * payment
 */
export async function refundOnce(
  client: PaypalClient,
  { reference, amountCents, key }: { reference: string; amountCents: number; key: string },
): Promise<void> {
  const order = await readOrder(client, reference)
  const capture = order && captureOf(order)
  const currency = order?.purchase_units?.[0]?.amount?.currency_code
  if (!capture || currency === undefined) throw new GatewayRefused(`there is no payment ${reference}`)
  const amount = toPaypal(amountCents, currency)
  const customId = customIdOf(key)
  const earlier = findRefund(order, customId)
  if (earlier) return checkSameRefund(earlier, amountCents, key)
  const path = `/v2/payments/captures/${encodeURIComponent(capture.id)}/refund`
  const body = JSON.stringify({ amount, custom_id: customId })
  try {
    checkSameRefund(await client.request<Refund>({ method: 'POST', path, key, body }), amountCents, key)
  } catch (error) {
    if (!(error instanceof PaypalRefusal && error.isFinal) || temporaryIssues.has(error.issue)) throw error
    throw new GatewayRefused(error.message)
  }
}

/** Converts a key to the characters that PayPal accepts in `custom_id`: letters, digits and `-_.,`. */
const customIdOf = (key: string) => key.replaceAll(/[^\w.,-]/g, '.')

function findRefund({ purchase_units }: Order, customId: string): Refund | undefined {
  const refunds = purchase_units?.[0]?.payments?.refunds ?? []
  return refunds.find(({ custom_id }) => custom_id === customId)
}

/**
 * Checks that an existing refund is the requested one, and has not failed.
 * @throws GatewayRefused for another amount, or for a failed or cancelled refund, whose retry needs a new key
 */
function checkSameRefund({ id, status, amount }: Refund, amountCents: number, key: string): void {
  if (status === 'FAILED' || status === 'CANCELLED')
    throw new GatewayRefused(`PayPal's refund ${id} is ${status}`)
  if (amount && fromPaypal(amount) !== amountCents)
    throw new GatewayRefused(`key ${key} was used for another refund`)
}
