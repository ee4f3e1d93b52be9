import type { PaymentMethodChange, Order } from '#contract/billing.ts'
import type { FromExpress } from './express-messages.ts'

/** A message from the page of the card form to the page that frames it. */
export type OrderReport =
  | { type: 'paid'; order: Order }
  | { type: 'redirect'; order: Order; url: string }
  /** The user already owns the item, for example after a purchase in another tab. */
  | { type: 'owned' }
  /** The order is not paid, or not paid yet. */
  | { type: 'unpaid'; order: Order }

/** The report of a change of payment method. */
export type ChangeReport = { type: 'saved' } | { type: 'redirect'; url: string }

/** The payload of each type of message from the framed documents. */
interface ReportPayloads {
  order: Order
  change: PaymentMethodChange
  owned: true
  express: FromExpress
}

/** Reports an order's result to the page around the frame. Only pages of the same origin receive it. */
export const reportOrder = (order: Order): void => report('order', order)

/** Reports the result of a change of payment method to the page around the frame. */
export const reportChange = (change: PaymentMethodChange): void => report('change', change)

/** Reports to the page around the frame that the user already owns the item, so that there is nothing to pay. */
export const reportOwned = (): void => report('owned', true)

/** Reports the state of the express wallet to the page around the frame. */
export const reportExpress = (message: FromExpress): void => report('express', message)

function report<Kind extends keyof ReportPayloads>(type: Kind, payload: ReportPayloads[Kind]): void {
  parent.postMessage({ type, made: payload }, location.origin)
}

type Frame = Window | null | undefined

/** Parses a message of the framed card form; returns null for any other message or sender. */
export function readReport(event: MessageEvent, frame: Frame): OrderReport | null {
  if (readPayload('owned', event, frame)) return { type: 'owned' }
  const order = readPayload('order', event, frame)
  if (order?.status === 'paid') return { type: 'paid', order }
  if (order?.next?.type === 'redirect' && order.next.url)
    return { type: 'redirect', order, url: order.next.url }
  return order ? { type: 'unpaid', order } : null
}

/** Parses a message of a framed express wallet; returns null for any other message or sender. */
export const readExpress = (event: MessageEvent, frame: Frame): FromExpress | null =>
  readPayload('express', event, frame) ?? null

/** Parses the report of a framed change of payment method; returns null for any other message or sender. */
export function readChangeReport(event: MessageEvent, frame: Frame): ChangeReport | null {
  const change = readPayload('change', event, frame)
  if (change?.status === 'saved') return { type: 'saved' }
  if (change?.next?.type === 'redirect' && change.next.url) return { type: 'redirect', url: change.next.url }
  return null
}

/**
 * Returns the payload of a message from the frame, or undefined if the sender or type differs. The payload is not
 * validated, because the framed document is ours and received it from our server.
 */
function readPayload<Kind extends keyof ReportPayloads>(
  type: Kind,
  { origin, source, data }: MessageEvent,
  frame: Frame,
): ReportPayloads[Kind] | undefined {
  if (origin !== location.origin || !frame || source !== frame) return undefined
  if (typeof data !== 'object' || data === null || data.type !== type) return undefined
  return data.made
}

export const isFramed = (): boolean => parent !== window
