import { inflateSync } from 'node:zlib'
import type { BrowserContext } from '@playwright/test'

/** Origin to which the test site's pages report errors. It has no server; tests intercept the requests. */
export const sinkOrigin = 'http://errors.test'
export const sinkDsn = 'http://public@errors.test/7'

/** An item of a Sentry envelope. The payload is null if the text is not JSON. */
export interface EnvelopeItem {
  type: string
  text: string
  payload: Record<string, unknown> | null
}

/** Intercepts the envelopes that browsers send. @returns an array to which their items are added */
export async function captureEnvelopes(context: BrowserContext): Promise<EnvelopeItem[]> {
  const items: EnvelopeItem[] = []
  await context.route(`${sinkOrigin}/**`, async (route) => {
    items.push(...readEnvelope(route.request().postDataBuffer() ?? Buffer.alloc(0)))
    await route.fulfill({
      headers: { 'access-control-allow-origin': '*' },
      contentType: 'application/json',
      body: '{}',
    })
  })
  return items
}

/**
 * Parses an envelope: its header, then a header and a payload for each item. Each header and each payload ends with a
 * newline. A payload may contain newlines if the item's header has a length.
 */
function readEnvelope(envelope: Buffer): EnvelopeItem[] {
  const items: EnvelopeItem[] = []
  let at = envelope.indexOf('\n') + 1
  while (at > 0 && at < envelope.length) {
    const headEnd = endOfLine(envelope, at)
    const header = asJson(envelope.toString('utf8', at, headEnd)) ?? {}
    const { type, length } = header as { type?: string; length?: number }
    const end = length === undefined ? endOfLine(envelope, headEnd + 1) : headEnd + 1 + length
    const text = textOf(envelope.subarray(headEnd + 1, end))
    items.push({ type: type ?? '', text, payload: asJson(text) })
    at = end + 1
  }
  return items
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf('\n', from)
  return end === -1 ? bytes.length : end
}

/**
 * Returns a payload as text. A session recording consists of a line of JSON and of compressed events. Of a recording,
 * returns only the events, decompressed.
 */
function textOf(payload: Buffer): string {
  const begin = endOfLine(payload, 0) + 1
  const compressed = payload[begin] === 0x78
  return compressed ? inflateSync(payload.subarray(begin)).toString() : payload.toString()
}

function asJson(text: string | undefined): Record<string, unknown> | null {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}
