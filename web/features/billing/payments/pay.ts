import { createOrder, getPayment, payOrder, type Order } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { call, CallFailed, CallRejected } from '#web/lib/api.ts'

const pauseMs = 1_500
const reads = 40

/** Reads the current state of an order. */
export async function readOrder(orderId: string): Promise<Order> {
  const order = await call(getPayment, { query: { order_id: orderId } })
  if ('list' in order) throw new TypeError('a list where one order was asked for')
  return order
}

/** Polls an order until it is final, or the user has to act. */
export async function settledOrder(orderId: string): Promise<Order> {
  for (let left = reads; left > 0; left--) {
    const order = await readOrder(orderId)
    const { status, declined, next } = order
    if (status !== 'pending' || declined || next.type === 'card_form' || next.client_secret) return order
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return readOrder(orderId)
}

/** Returns the order after the bank's check. An order that still needs the check was not confirmed. */
export async function afterCheck(orderId: string): Promise<Order> {
  const order = await settledOrder(orderId)
  return order.next.type === 'authenticate' ? { ...order, next: { type: 'card_form' } } : order
}

/** Sends a body with an idempotency key that is reused until a response arrives, so that a lost response creates nothing twice. */
export function createKeyedSender() {
  let open: { text: string; key: string } | null = null
  return async <T>(body: object, send: (key: string) => Promise<T>): Promise<T> => {
    const text = JSON.stringify(body)
    if (open?.text !== text) open = { text, key: crypto.randomUUID() }
    try {
      const answer = await send(open.key)
      open = null
      return answer
    } catch (error) {
      if (error instanceof CallRejected) open = null
      throw error
    }
  }
}

/** Creates the orders of one form. An open order is reused as long as the body is the same. */
export function createOrderOnce() {
  const withKey = createKeyedSender()
  let open: { body: string; order: Order } | null = null
  return {
    async make(body: BodyOf<typeof createOrder>): Promise<Order> {
      const text = JSON.stringify(body)
      if (open?.body === text) return open.order
      const order = await withKey(body, (idempotencyKey) => call(createOrder, { body, idempotencyKey }))
      open = { body: text, order }
      return order
    },
    forget() {
      open = null
    },
  }
}

/**
 * Creates orders that a saved card or the balance pays in the same call, and waits for their result. Repeats a lost call once with
 * the same key: the payment may have succeeded.
 */
export function oneCallBuyer() {
  const withKey = createKeyedSender()
  return async (body: BodyOf<typeof createOrder>): Promise<Order> => {
    const send = () => withKey(body, (idempotencyKey) => call(createOrder, { body, idempotencyKey }))
    const order = await send().catch((error: unknown) => {
      if (isLost(error)) return send()
      throw error
    })
    return order.status === 'pending' && order.next.type !== 'authenticate' ? settledOrder(order.id) : order
  }
}

/** Returns the current price if an order was refused because the shown one differs. */
export function priceIn(error: unknown): number | undefined {
  const info = error instanceof CallRejected ? error.info : undefined
  const cents =
    typeof info === 'object' && info !== null && 'amount_cents' in info ? info.amount_cents : undefined
  return typeof cents === 'number' ? cents : undefined
}

const withPayKey = createKeyedSender()

/** Refused by a rate limit: no payment was attempted. */
export const isRateLimited = (error: unknown): error is CallFailed =>
  error instanceof CallFailed && error.status === 429

/** No response arrived: the payment may have succeeded. */
export const isLost = (error: unknown): boolean => error instanceof CallFailed && !isRateLimited(error)

/**
 * Pays with a card's token or, without one, requests the payment that the card confirms. If the response is lost, reads the order
 * to find out whether it was paid.
 */
export async function payWithToken(
  order: Order,
  token: string | undefined,
  firstName: string,
  lastName: string,
): Promise<Order> {
  // A wallet's name need not have two parts; its gateway knows it.
  const names = firstName && lastName ? { first_name: firstName, last_name: lastName } : {}
  const body = { order_id: order.id, payment_token: token, ...names }
  try {
    return await withPayKey(body, (idempotencyKey) => call(payOrder, { body, idempotencyKey }))
  } catch (error) {
    if (isLost(error)) return settledOrder(order.id)
    throw error
  }
}
