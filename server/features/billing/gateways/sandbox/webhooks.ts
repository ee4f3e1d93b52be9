import { createHmac, timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  GatewayReference,
  WebhookRefused,
  type WebhookEvent,
} from '#server/features/billing/gateways/gateway.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import { randomHex } from '#server/platform/ids.ts'

interface SigningContext {
  secret: string
  clock: Clock
}

const SandboxEvent = Type.Object({ id: GatewayReference, payment: GatewayReference })

/** Maximum age of a signature, as with other gateways. */
const toleranceMs = 300_000
const sendTimeoutMs = 5000
const header = 'sandbox-signature'

function signatureOf(secret: string, time: string, body: Buffer | string): Buffer {
  return createHmac('sha256', secret).update(`sandbox notification|${time}|`).update(body).digest()
}

/** Creates a signed event. @returns the body, and headers with a signature of the time and the body */
export function signEvent(
  { secret, clock }: SigningContext,
  reference: string,
): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ id: `sevt_${randomHex()}`, payment: reference })
  return signBody({ secret, clock }, body)
}

/** Signs a body without changing it. */
export function signBody(
  { secret, clock }: SigningContext,
  body: string,
): { body: string; headers: Record<string, string> } {
  const time = String(clock.now().getTime())
  const headers = {
    'content-type': 'application/json',
    [header]: `t=${time},v1=${signatureOf(secret, time, body).toString('hex')}`,
  }
  return { body, headers }
}

/**
 * Verifies and parses an event.
 * @throws WebhookRefused if the signature is invalid or old, or the body has another shape
 */
export function parseWebhook(
  { secret, clock }: SigningContext,
  body: Buffer,
  headers: Record<string, string | string[] | undefined>,
): WebhookEvent {
  const [, time = '', mac = ''] = /^t=(\d{1,15}),v1=([0-9a-f]{64})$/.exec(String(headers[header])) ?? []
  const isValid = mac !== '' && timingSafeEqual(Buffer.from(mac, 'hex'), signatureOf(secret, time, body))
  if (!isValid) throw new WebhookRefused('the signature is invalid')
  if (Math.abs(clock.now().getTime() - Number(time)) > toleranceMs)
    throw new WebhookRefused('the signature is too old')
  const event: unknown = JSON.parse(body.toString('utf8'))
  if (!Value.Check(SandboxEvent, event)) throw new WebhookRefused('the body is not an event of the sandbox')
  return { eventId: event.id, reference: event.payment }
}

/**
 * Creates a function that sends an event to this site once, and does not wait for the response. The site must also work
 * without events.
 * @param address returns the address on which the site listens, or undefined if it does not listen yet
 */
export function createWebhookSender(
  context: SigningContext & { log: Log; address(): string | undefined },
): (reference: string) => void {
  return (reference) => {
    const address = context.address()
    if (address === undefined) return
    const { body, headers } = signEvent(context, reference)
    fetch(`${address}/api/webhook/payment/sandbox`, {
      method: 'POST',
      body,
      headers,
      signal: AbortSignal.timeout(sendTimeoutMs),
    }).catch((error: unknown) => context.log.debug({ err: error }, 'a webhook event of the sandbox was lost'))
  }
}
