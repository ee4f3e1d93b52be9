import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createOrder, getPayment, payOrder, type Order } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { getUser } from '#contract/members.ts'
import type { Sale } from '#server/testing/billing-model/billing-errors.ts'
import { sandboxToken, testCards } from '#server/testing/builders/shopper.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import type { StandIns } from './stand-ins.ts'

/** Where people buy. */
export interface Shop {
  url: string
  standIns: StandIns
  visitor: () => Visitor
  /** How long somebody tries to pay an order. */
  patienceMs: number
}

const pauseMs = 100
/** What a call answers while the same is under way elsewhere. */
const underWay = 409

/**
 * A new visitor buys something and does what a browser does on the way: where the site is away they try again, and with
 * every try they look first at what became of the last. @returns undefined where they gave up before there was an order
 */
export async function checkOut(
  shop: Shop,
  params: Omit<BodyOf<typeof createOrder>, 'email' | 'gateway'> & Pick<Sale, 'gateway'>,
): Promise<Sale | undefined> {
  const deadline = Date.now() + shop.patienceMs
  const visitor = shop.visitor()
  const buyer = { visitor, shop, deadline }
  await persist(buyer, () => visitor.ask(getUser))
  const body = { ...params, email: `${randomUUID()}@example.com` }
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await persist(buyer, async () => {
    const { status, answer } = await visitor.call(createOrder, { body, headers })
    if (status >= 500 || answer.code === underWay) throw new Error(answer.message)
    return answer
  })
  if (!answer) return undefined
  // A wallet that gave no answer has an order all the same, which the list knows.
  const order = answer.code === 200 ? answer.info : await findOrder(buyer)
  return order && { orderId: order.id, gateway: params.gateway, status: await pay(buyer, order) }
}

interface Buyer {
  visitor: Visitor
  shop: Shop
  deadline: number
}

/** Does something until it goes through. @returns undefined where it does not before the deadline */
async function persist<T>({ deadline }: Buyer, work: () => Promise<T>): Promise<T | undefined> {
  while (Date.now() < deadline) {
    try {
      return await work()
    } catch {
      await delay(pauseMs)
    }
  }
  return undefined
}

function findOrder(buyer: Buyer): Promise<Order | undefined> {
  return persist(buyer, async () => {
    const found = await buyer.visitor.ask(getPayment)
    return 'list' in found ? found.list[0] : undefined
  })
}

/** @returns the state that the person saw last */
async function pay(buyer: Buyer, made: Order): Promise<Order['status']> {
  let order = made
  while (order.status === 'pending' && Date.now() < buyer.deadline) {
    await step(buyer, order).catch(() => {})
    await delay(pauseMs)
    const { visitor } = buyer
    const seen = await persist(buyer, () => visitor.ask(getPayment, { query: { order_id: order.id } }))
    if (seen && 'id' in seen) order = seen
  }
  return order.status
}

/** What the browser does where the order stands. */
async function step({ visitor, shop }: Buyer, { id, gateway, next }: Order): Promise<void> {
  const { stripe } = shop.standIns
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
