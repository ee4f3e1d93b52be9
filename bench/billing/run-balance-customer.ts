import { randomUUID } from 'node:crypto'
import { autoUnlock, refundBalance, setAutoUnlock, undoAutoUnlock } from '#contract/balance.ts'
import {
  createOrder,
  getSavedPaymentMethod,
  type GatewayId,
  type SavedPaymentMethod,
} from '#contract/billing.ts'
import type { BodyOf, Endpoint, ResultOf } from '#contract/endpoint.ts'
import type { Sale } from '#server/testing/billing-model/count-billing-errors.ts'
import { arrive, checkOut, findOrders, persist, type Buyer, type CheckoutSite } from './run-checkout.ts'

/** What a customer with a balance buys. */
export interface BalanceGoods {
  topUpId: string
  videoId: string
  episodeIds: readonly string[]
  payment: { gateway: GatewayId; method: 'card' | 'wallet' }
}

const terms_text = 'The terms of the bench'
const [undoProbability, refundProbability] = [0.3, 0.3]

/**
 * Simulates a new visitor who tops up a balance, saves the card, and unlocks the episodes one by one: each from the
 * balance, by auto-unlock or with the saved card. Sometimes the visitor undoes an auto-unlock, or asks for a refund of
 * the unspent money.
 * @returns the orders as the customer saw them last
 */
export async function runBalanceCustomer(
  shop: CheckoutSite,
  { topUpId, videoId, episodeIds, payment }: BalanceGoods,
): Promise<Sale[]> {
  const buyer = await arrive(shop)
  const topUp = await checkOut(buyer, {
    kind: 'top_up',
    top_up_id: topUpId,
    ...payment,
    ...(payment.method === 'card' ? { save_method: { terms_text } } : {}),
  })
  if (topUp?.status !== 'paid') return topUp ? [topUp] : []
  const found = await persist(nextStep(buyer), () => buyer.visitor.callOk(getSavedPaymentMethod))
  for (const episodeId of episodeIds)
    await unlock(buyer, videoId, episodeId, found?.saved_method ?? undefined)
  if (Math.random() < refundProbability) await pressTwice(buyer, refundBalance, {})
  const orders = (await findOrders(nextStep(buyer))) ?? []
  return orders.map(({ id: orderId, gateway, status }) => ({ orderId, gateway, status }))
}

/** Returns the buyer with a new deadline, for the next step. */
const nextStep = (buyer: Buyer): Buyer => ({ ...buyer, deadline: Date.now() + buyer.shop.timeoutMs })

async function unlock(
  buyer: Buyer,
  video_id: string,
  episode_id: string,
  card: SavedPaymentMethod | undefined,
): Promise<void> {
  const way = Math.random()
  const episode = { kind: 'episode', episode_id } as const
  if (card && way < 0.3)
    await pressTwice(buyer, createOrder, { ...episode, gateway: card.gateway, saved_method_id: card.id })
  else if (way < 0.6) await pressTwice(buyer, createOrder, { ...episode, gateway: 'balance' })
  else {
    const consent = { daily_limit: 10, terms_text, immediate_delivery: true }
    await pressTwice(buyer, setAutoUnlock, { video_id, ...consent })
    const order = await pressTwice(buyer, autoUnlock, { episode_id })
    if (order && Math.random() < undoProbability)
      await pressTwice(buyer, undoAutoUnlock, { order_id: order.id })
  }
}

/**
 * Sends a request twice at the same time, like two presses of a button, each with its own idempotency key. Repeats each
 * request until the site responds; a refusal counts as a response.
 * @returns the result of a press that succeeded
 */
async function pressTwice<E extends Endpoint>(
  buyer: Buyer,
  endpoint: E,
  body: BodyOf<E>,
): Promise<ResultOf<E> | undefined> {
  const step = nextStep(buyer)
  const press = () => {
    const headers = { 'idempotency-key': randomUUID() }
    return persist(step, async () => {
      const { status, answer } = await buyer.visitor.call(endpoint, { body, headers })
      if (status >= 500) throw new Error(answer.message)
      return answer.info
    })
  }
  const [first, second] = await Promise.all([press(), press()])
  return first ?? second
}
