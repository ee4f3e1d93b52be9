import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createOrder, getOrders, payOrder, type GatewayId, type Order } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { getUser } from '#contract/members.ts'
import type { Sale } from '#server/testing/billing-model/count-billing-errors.ts'
import { sandboxToken, testCards } from '#server/testing/builders/shopper.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import type { FakeGateways } from './fake-gateways.ts'

/** The site at which simulated customers buy. */
export interface CheckoutSite {
  url: string
  fakes: Pick<FakeGateways, 'stripe'>
  visitor: () => Visitor
  /** Time in milliseconds for which a customer tries to pay for an order. */
  timeoutMs: number
}

const pauseMs = 100
/** Code of the response to a request while an identical request is still in progress. */
const underWay = 409

export interface Buyer {
  visitor: Visitor
  shop: CheckoutSite
  deadline: number
}

type OrderParams = Omit<BodyOf<typeof createOrder>, 'email' | 'gateway'> & { gateway: GatewayId }

/** Simulates the purchase of a new visitor. */
export const runCheckout = async (shop: CheckoutSite, params: OrderParams): Promise<Sale | undefined> =>
  checkOut(await arrive(shop), params)

/** Opens the site as a new visitor. */
export async function arrive(shop: CheckoutSite): Promise<Buyer> {
  const visitor = shop.visitor()
  const buyer = { visitor, shop, deadline: Date.now() + shop.timeoutMs }
  await persist(buyer, () => visitor.callOk(getUser))
  return buyer
}

/**
 * Simulates a purchase as a browser does it: retries while the site is unavailable, and checks the result of the last
 * attempt before each retry.
 * @returns undefined if the visitor gave up before an order existed
 */
export async function checkOut(buyer: Buyer, params: OrderParams): Promise<Sale | undefined> {
  const body = { ...params, email: `${randomUUID()}@example.com` }
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await persist(buyer, async () => {
    const { status, answer } = await buyer.visitor.call(createOrder, { body, headers })
    if (status >= 500 || answer.code === underWay) throw new Error(answer.message)
    return answer
  })
  if (!answer) return undefined
  // If the gateway did not respond, the order exists although the request failed. It is the buyer's latest order.
  const order = answer.code === 200 ? answer.info : (await findOrders(buyer))?.[0]
  return order && { orderId: order.id, gateway: params.gateway, status: await pay(buyer, order) }
}

/** Retries `work` until it succeeds. @returns undefined if the deadline passes first */
export async function persist<T>({ deadline }: Buyer, work: () => Promise<T>): Promise<T | undefined> {
  while (Date.now() < deadline) {
    try {
      return await work()
    } catch {
      await delay(pauseMs)
    }
  }
  return undefined
}

/** Returns the buyer's orders, latest first; undefined if the deadline passes first. */
export async function findOrders(buyer: Buyer): Promise<Order[] | undefined> {
  const found = await persist(buyer, () => buyer.visitor.callOk(getOrders))
  return found && 'list' in found ? found.list : undefined
}

/** Pays for an order. @returns the last status that the customer saw */
async function pay(buyer: Buyer, created: Order): Promise<Order['status']> {
  let order = created
  while (order.status === 'pending' && Date.now() < buyer.deadline) {
    await step(buyer, order).catch(() => {})
    await delay(pauseMs)
    const { visitor } = buyer
    const seen = await persist(buyer, () => visitor.callOk(getOrders, { query: { order_id: order.id } }))
    if (seen && 'id' in seen) order = seen
  }
  return order.status
}

/** Performs the browser's next step for the order. */
async function step({ visitor, shop }: Buyer, { id, gateway, next }: Order): Promise<void> {
  const { stripe } = shop.fakes
  const call = (payment_token?: string) =>
    visitor.call(payOrder, {
      body: { order_id: id, payment_token, first_name: 'Ada', last_name: 'Lovelace' },
      headers: { 'idempotency-key': randomUUID() },
    })
  if (next.type === 'redirect' && next.url !== undefined) {
    const answered = await fetch(next.url, {
      method: 'POST',
      body: new URLSearchParams({ answer: 'yes' }),
      redirect: 'manual',
    })
    const back = new URL(answered.headers.get('location') ?? '')
    await fetch(`${shop.url}${back.pathname}${back.search}`, { redirect: 'manual' })
  } else if (gateway === 'stripe' && next.client_secret !== undefined) {
    await stripe.confirm(next.client_secret, testCards.pays)
    await call(next.client_secret.split('_secret_')[0])
  } else await call(gateway === 'sandbox' ? await sandboxToken(visitor) : undefined)
}
