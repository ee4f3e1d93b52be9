import type { PaymentMethodChange, Order } from '#contract/billing.ts'
import type { FromExpress } from './express-messages.ts'

/** A report of the card form's document to the page that frames it. */
export type OrderReport =
  | { type: 'paid'; order: Order }
  | { type: 'redirect'; order: Order; url: string }
  /** The user owns the item already, possibly since a purchase in another tab. */
  | { type: 'owned' }
  /** The order is not paid, or not yet. */
  | { type: 'unpaid'; order: Order }

/** The report of a change of payment method. */
export type ChangeReport = { type: 'saved' } | { type: 'redirect'; url: string }

/** The messages of such a document, by type. */
interface ReportPayloads {
  order: Order
  change: PaymentMethodChange
  owned: true
  express: FromExpress
}

/** Reports an order's result to the framing page. Only pages of this origin receive it. */
export const reportOrder = (order: Order): void => report('order', order)

/** Reports the result of a change of method to the framing page. */
export const reportChange = (change: PaymentMethodChange): void => report('change', change)

/** Reports to the framing page that there is nothing to pay, because the user owns the item already. */
export const reportOwned = (): void => report('owned', true)

/** Reports the state of the express wallet to the framing page. */
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

/** Like `readReport`, for an express wallet. */
export const readExpress = (event: MessageEvent, frame: Frame): FromExpress | null =>
  readPayload('express', event, frame) ?? null

/** Like `readReport`, for a change of method. */
export function readChangeReport(event: MessageEvent, frame: Frame): ChangeReport | null {
  const change = readPayload('change', event, frame)
  if (change?.status === 'saved') return { type: 'saved' }
  if (change?.next?.type === 'redirect' && change.next.url) return { type: 'redirect', url: change.next.url }
  return null
}

/** Returns the data of a message from our own document, which received it from our own server. */
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
