import type { MethodChange, Order } from '#contract/billing.ts'

/** What the card form's document tells the page that frames it. */
export type OrderReport = { type: 'paid'; order: Order } | { type: 'redirect'; order: Order; url: string }

/** Tells the framing page what became of an order. Only our own pages may listen. */
export function reportOrder(order: Order): void {
  parent.postMessage({ type: 'order', order }, location.origin)
}

/** Reads a message of the framed card form; null for anything else, from anyone else. */
export function readReport(
  { origin, source, data }: MessageEvent,
  frame: Window | null | undefined,
): OrderReport | null {
  if (origin !== location.origin || !frame || source !== frame) return null
  if (typeof data !== 'object' || data === null || data.type !== 'order') return null
  // From our own document, which had it from our own server.
  const order: Order | undefined = data.order
  if (order?.status === 'paid') return { type: 'paid', order }
  if (order?.next?.type === 'redirect' && order.next.url)
    return { type: 'redirect', order, url: order.next.url }
  return null
}

/** What it tells of a change of method. */
export type ChangeReport = { type: 'saved' } | { type: 'redirect'; url: string }

/** Tells the framing page what became of a change of method. */
export function reportChange(change: MethodChange): void {
  parent.postMessage({ type: 'method', change }, location.origin)
}

/** Reads such a message, as `readReport` does. */
export function readChangeReport(
  { origin, source, data }: MessageEvent,
  frame: Window | null | undefined,
): ChangeReport | null {
  if (origin !== location.origin || !frame || source !== frame) return null
  if (typeof data !== 'object' || data === null || data.type !== 'method') return null
  // From our own document, which had it from our own server.
  const change: MethodChange | undefined = data.change
  if (change?.status === 'saved') return { type: 'saved' }
  if (change?.next?.type === 'redirect' && change.next.url) return { type: 'redirect', url: change.next.url }
  return null
}

export const isFramed = (): boolean => parent !== window
