import { Value } from 'typebox/value'
import {
  toDisputeReference,
  WebhookRefused,
  type WebhookEvent,
} from '#server/features/billing/gateways/gateway.ts'
import { dayMs, hourMs, type Clock } from '#server/platform/clock.ts'
import { orderIdOf } from './list-events.ts'
import { PaypalEvent, type Capture } from './objects.ts'
import { toInvoiceReference } from './payment-references.ts'
import { PaypalRefusal, type PaypalClient } from './paypal-client.ts'
import { readOrder } from './read-order.ts'

interface WebhookContext {
  client: PaypalClient
  webhookId: string
  clock: Clock
}

type Headers = Record<string, string | string[] | undefined>

/**
 * Maximum age of a webhook event. PayPal redelivers an event for three days, so an older event does not come from
 * PayPal.
 */
const maxAgeMs = 4 * dayMs

/** The fields of PayPal's verification request, each with the header that contains its value. */
const signatureHeaders = {
  auth_algo: 'paypal-auth-algo',
  cert_url: 'paypal-cert-url',
  transmission_id: 'paypal-transmission-id',
  transmission_sig: 'paypal-transmission-sig',
  transmission_time: 'paypal-transmission-time',
}

/**
 * Parses a webhook event and asks PayPal to verify it.
 * @throws WebhookRefused if PayPal did not sign the event or the event is too old; Error if PayPal cannot be reached
 */
export async function parseWebhook(
  context: WebhookContext,
  body: Buffer,
  headers: Headers,
): Promise<WebhookEvent> {
  const signature = readSignature(headers)
  const age = context.clock.now().getTime() - Date.parse(signature.transmission_time ?? '')
  if (!(age < maxAgeMs && age > -hourMs))
    throw new WebhookRefused('the webhook event is too old or has no valid time')
  const text = body.toString('utf8')
  const event = readEvent(text)
  await verify(context, signature, text)
  return { eventId: event.id, reference: await referenceOf(context.client, event) }
}

function readSignature(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(signatureHeaders).map(([name, header]) => {
      const value = headers[header]
      if (typeof value !== 'string' || value === '') throw new WebhookRefused(`${header} is missing`)
      return [name, value]
    }),
  )
}

function readEvent(text: string): PaypalEvent {
  try {
    const event: unknown = JSON.parse(text)
    if (Value.Check(PaypalEvent, event)) return event
  } catch {
    // The text is not JSON and is refused below.
  }
  throw new WebhookRefused('the body is not an event of PayPal')
}

/**
 * Asks PayPal to verify the signature of an event. The signature covers the exact bytes of the body, so the request
 * contains the original text unchanged. This is safe, because the text has been parsed as JSON: it is one value and
 * cannot add properties to the request.
 */
async function verify(
  { client, webhookId }: WebhookContext,
  signature: Record<string, string>,
  text: string,
) {
  const fields = JSON.stringify({ ...signature, webhook_id: webhookId })
  const body = `${fields.slice(0, -1)},"webhook_event":${text}}`
  try {
    const path = '/v1/notifications/verify-webhook-signature'
    const answer = await client.request<{ verification_status?: string }>({ method: 'POST', path, body })
    if (answer.verification_status === 'SUCCESS') return
  } catch (error) {
    if (!(error instanceof PaypalRefusal && error.isFinal)) throw error
  }
  throw new WebhookRefused('PayPal did not confirm the signature')
}

/**
 * Returns the reference of the payment that an event is about. Events about refunds and disputes contain only the id of
 * the capture, so its order is queried at PayPal. If PayPal has deleted the order, the reference is built from the
 * dispute's id, or from the invoice id, which is our attempt's id.
 */
export async function referenceOf(client: PaypalClient, event: PaypalEvent): Promise<string> {
  const { event_type, resource } = event
  const orderId =
    event_type === 'VAULT.PAYMENT-TOKEN.CREATED' ? resource?.metadata?.order_id : orderIdOf(event)
  if (orderId) return orderId
  const captureId = captureIdOf(event)
  const orderOfCaptureId = captureId === undefined ? undefined : await orderOfCapture(client, captureId)
  if (event_type.startsWith('CUSTOMER.DISPUTE.') && resource?.dispute_id)
    return orderOfCaptureId && (await readOrder(client, orderOfCaptureId))
      ? orderOfCaptureId
      : toDisputeReference(resource.dispute_id)
  const invoice = /^PAYMENT\.(CAPTURE|REFUND)\./.test(event_type) ? resource?.invoice_id : undefined
  return (
    orderOfCaptureId ??
    resource?.order_id ??
    (invoice ? toInvoiceReference(invoice) : (resource?.id ?? event_type))
  )
}

/** Returns the id of the capture that an event is about. */
export function captureIdOf({ event_type, resource }: PaypalEvent): string | undefined {
  if (event_type.startsWith('CUSTOMER.DISPUTE.'))
    return resource?.disputed_transactions?.[0]?.seller_transaction_id ?? undefined
  if (!/^PAYMENT\.(CAPTURE|REFUND)\./.test(event_type)) return undefined
  const above = resource?.links?.find(({ rel }) => rel === 'up')?.href
  return above?.split('/').at(-1) ?? resource?.id ?? undefined
}

export async function orderOfCapture(client: PaypalClient, captureId: string): Promise<string | undefined> {
  try {
    const path = `/v2/payments/captures/${encodeURIComponent(captureId)}`
    const capture = await client.request<Capture>({ method: 'GET', path })
    return capture.supplementary_data?.related_ids?.order_id
  } catch (error) {
    if (error instanceof PaypalRefusal && error.isFinal) return undefined
    throw error
  }
}
