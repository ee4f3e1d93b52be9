import { createOrder, getPayment, payOrder, type Order } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { call, CallFailed } from '#web/lib/api.ts'

const pauseMs = 1_500
const reads = 40

/** An order as the server has it now. */
export async function readOrder(orderId: string): Promise<Order> {
  const order = await call(getPayment, { query: { order_id: orderId } })
  if ('list' in order) throw new TypeError('a list where one order was asked for')
  return order
}

/** Reads an order until there is something to say about it: it is final, or the next step is the person's. */
export async function settledOrder(orderId: string): Promise<Order> {
  for (let left = reads; left > 0; left--) {
    const order = await readOrder(orderId)
    if (order.status !== 'pending' || order.declined || order.next.type === 'card_form') return order
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return readOrder(orderId)
}

/** Makes orders for one wish. The one that is still open serves again as long as the body is the same. */
export function orderMaker() {
  let open: { body: string; key: string; order: Order } | null = null
  return {
    async make(body: BodyOf<typeof createOrder>): Promise<Order> {
      const text = JSON.stringify(body)
      if (open?.body === text) return open.order
      const key = crypto.randomUUID()
      const order = await call(createOrder, { body, idempotencyKey: key })
      open = { body: text, key, order }
      return order
    },
    forget() {
      open = null
    },
  }
}

/** Pays with a card's token. Where the answer got lost, the order is read: it says whether the money moved. */
export async function payWithToken(
  order: Order,
  token: string,
  firstName: string,
  lastName: string,
): Promise<Order> {
  const body = { order_id: order.id, payment_token: token, first_name: firstName, last_name: lastName }
  try {
    return await call(payOrder, { body, idempotencyKey: crypto.randomUUID() })
  } catch (error) {
    if (error instanceof CallFailed) return settledOrder(order.id)
    throw error
  }
}
