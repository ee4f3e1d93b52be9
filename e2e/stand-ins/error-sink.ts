import { inflateSync } from 'node:zlib'
import type { BrowserContext } from '@playwright/test'

/** Where the browser tests' site reports errors to; nobody listens there but the tests. */
export const sinkOrigin = 'http://errors.test'
export const sinkDsn = 'http://public@errors.test/7'

/** One item of an envelope: its kind, and its payload where that is JSON. */
export interface Item {
  type: string
  text: string
  payload: Record<string, unknown> | null
}

/** Takes the envelopes that browsers send, apart into their items. */
export async function catchEnvelopes(context: BrowserContext): Promise<Item[]> {
  const items: Item[] = []
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

/** An envelope is a header of its own, then a header and a payload for each item, all but a sized payload ended by a line's end. */
function readEnvelope(envelope: Buffer): Item[] {
  const items: Item[] = []
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

/** A recording is a line of JSON and then its events, compressed. */
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
