import type { MethodChange, Order } from '#contract/billing.ts'
import type { FromExpress } from './express-messages.ts'

/** What the card form's document tells the page that frames it. */
export type OrderReport =
  | { type: 'paid'; order: Order }
  | { type: 'redirect'; order: Order; url: string }
  /** The person has it already, perhaps since a moment ago in another tab. */
  | { type: 'owned' }
  /** It is not paid, or not yet. */
  | { type: 'unpaid'; order: Order }

/** What it tells of a change of method. */
export type ChangeReport = { type: 'saved' } | { type: 'redirect'; url: string }

/** What such a document sends, by its kind. */
interface Made {
  order: Order
  change: MethodChange
  owned: true
  express: FromExpress
}

/** Tells the framing page what became of an order. Only our own pages may listen. */
export const reportOrder = (order: Order): void => report('order', order)

/** Tells the framing page what became of a change of method. */
export const reportChange = (change: MethodChange): void => report('change', change)

/** Tells the framing page that there is nothing to pay, since the person has it already. */
export const reportOwned = (): void => report('owned', true)

/** Tells the framing page how the express wallet stands. */
export const reportExpress = (said: FromExpress): void => report('express', said)

function report<Kind extends keyof Made>(type: Kind, made: Made[Kind]): void {
  parent.postMessage({ type, made }, location.origin)
}

type Frame = Window | null | undefined

/** Reads a message of the framed card form; null for anything else, from anyone else. */
export function readReport(event: MessageEvent, frame: Frame): OrderReport | null {
  if (readMade('owned', event, frame)) return { type: 'owned' }
  const order = readMade('order', event, frame)
  if (order?.status === 'paid') return { type: 'paid', order }
  if (order?.next?.type === 'redirect' && order.next.url)
    return { type: 'redirect', order, url: order.next.url }
  return order ? { type: 'unpaid', order } : null
}

/** As `readReport`, of an express wallet. */
export const readExpress = (event: MessageEvent, frame: Frame): FromExpress | null =>
  readMade('express', event, frame) ?? null

/** As `readReport`, of a change of method. */
export function readChangeReport(event: MessageEvent, frame: Frame): ChangeReport | null {
  const change = readMade('change', event, frame)
  if (change?.status === 'saved') return { type: 'saved' }
  if (change?.next?.type === 'redirect' && change.next.url) return { type: 'redirect', url: change.next.url }
  return null
}

/** From our own document, which had it from our own server. */
function readMade<Kind extends keyof Made>(
  type: Kind,
  { origin, source, data }: MessageEvent,
  frame: Frame,
): Made[Kind] | undefined {
  if (origin !== location.origin || !frame || source !== frame) return undefined
  if (typeof data !== 'object' || data === null || data.type !== type) return undefined
  return data.made
}

export const isFramed = (): boolean => parent !== window
