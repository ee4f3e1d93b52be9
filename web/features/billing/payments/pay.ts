import { createOrder, getOrders, payOrder, type Order } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { call, RequestError, ApiError } from '#web/lib/api.ts'

const pollIntervalMs = 1_500
const maxPolls = 40

/** Returns the current state of an order. */
export async function readOrder(orderId: string): Promise<Order> {
  const order = await call(getOrders, { query: { order_id: orderId } })
  if ('list' in order) throw new TypeError('the server returned a list instead of one order')
  return order
}

/** Polls an order until it is final, was declined, or needs the card form or Stripe's script; stops after a minute. */
export async function pollOrder(orderId: string): Promise<Order> {
  for (let left = maxPolls; left > 0; left--) {
    const order = await readOrder(orderId)
    const { status, declined, next } = order
    if (status !== 'pending' || declined || next.type === 'card_form' || next.client_secret) return order
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
  }
  return readOrder(orderId)
}

/**
 * Waits for an order's result after the 3-D Secure check. If a check is still required, the user has not passed it, and
 * can enter a card again.
 */
export async function orderAfterThreeDSecure(orderId: string): Promise<Order> {
  const order = await pollOrder(orderId)
  return order.next.type === 'authenticate' ? { ...order, next: { type: 'card_form' } } : order
}

/**
 * Returns a function that sends a body with an idempotency key. It reuses the key for the same body until a response
 * arrives, so that a repeated call creates nothing twice.
 */
export function createIdempotentSender() {
  let unanswered: { text: string; key: string } | null = null
  return async <T>(body: object, send: (key: string) => Promise<T>): Promise<T> => {
    const text = JSON.stringify(body)
    if (unanswered?.text !== text) unanswered = { text, key: crypto.randomUUID() }
    try {
      const response = await send(unanswered.key)
      unanswered = null
      return response
    } catch (error) {
      if (error instanceof ApiError) unanswered = null
      throw error
    }
  }
}

/** Creates the orders of one form. If the body is unchanged, the open order is reused. */
export function createOrderReuser() {
  const sendWithKey = createIdempotentSender()
  let pending: { body: string; order: Order } | null = null
  return {
    async createOrReuse(body: BodyOf<typeof createOrder>): Promise<Order> {
      const text = JSON.stringify(body)
      if (pending?.body === text) return pending.order
      const order = await sendWithKey(body, (idempotencyKey) => call(createOrder, { body, idempotencyKey }))
      pending = { body: text, order }
      return order
    },
    reset() {
      pending = null
    },
  }
}

/**
 * Creates orders that a saved card or the balance pays in the same call, and waits for the result. If no response
 * arrives, repeats the call once with the same key, because the payment may have succeeded.
 */
export function createOneTapBuyer() {
  const sendWithKey = createIdempotentSender()
  return async (body: BodyOf<typeof createOrder>): Promise<Order> => {
    const send = () => sendWithKey(body, (idempotencyKey) => call(createOrder, { body, idempotencyKey }))
    const order = await send().catch((error: unknown) => {
      if (isOutcomeUnknown(error)) return send()
      throw error
    })
    return order.status === 'pending' && order.next.type !== 'authenticate' ? pollOrder(order.id) : order
  }
}

/** Returns the current price if an order was refused because the price shown to the user differs. */
export function priceFromError(error: unknown): number | undefined {
  const info = error instanceof ApiError ? error.info : undefined
  const cents =
    typeof info === 'object' && info !== null && 'amount_cents' in info ? info.amount_cents : undefined
  return typeof cents === 'number' ? cents : undefined
}

const withPayKey = createIdempotentSender()

/** Returns whether the call was refused by a rate limit, so that no payment was attempted. */
export const isRateLimited = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.status === 429

/** Returns whether the call failed without a valid API response, so that the payment may have succeeded. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof RequestError && !isRateLimited(error)

/**
 * Pays with a card's token or, without a token, requests the payment intent that the card confirms. If no response
 * arrives, reads the order to find out whether it was paid.
 */
export async function payWithToken(
  order: Order,
  token: string | undefined,
  firstName: string,
  lastName: string,
): Promise<Order> {
  // A name from a wallet may have only one part. It is then omitted, because the gateway already has it.
  const names = firstName && lastName ? { first_name: firstName, last_name: lastName } : {}
  const body = { order_id: order.id, payment_token: token, ...names }
  try {
    return await withPayKey(body, (idempotencyKey) => call(payOrder, { body, idempotencyKey }))
  } catch (error) {
    if (isOutcomeUnknown(error)) return pollOrder(order.id)
    throw error
  }
}
