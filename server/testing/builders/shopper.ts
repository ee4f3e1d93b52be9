import { createOrder, getOrders, listPlans, payOrder, type Order, type Plan } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { getUser } from '#contract/members.ts'
import type { TestSite } from '#server/testing/site/test-site.ts'
import type { Envelope, Visitor } from '#server/testing/site/visitor.ts'

/** Stripe's published test card numbers. The sandbox accepts them too. */
export const testCards = {
  pays: '4242424242424242',
  declined: '4000000000000002',
  noFunds: '4000000000009995',
  expired: '4000000000000069',
  badCvc: '4000000000000127',
  requires3dsOnce: '4000000000003220',
  requires3dsAlways: '4000002760003184',
  declinesRenewals: '4000000000000341',
  disputed: '4000000000000259',
}

/** Creates a card token, as the sandbox's card form does. */
export async function sandboxToken(visitor: Visitor, card = testCards.pays): Promise<string> {
  const response = await visitor.fetch('/sandbox/tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ number: card, expiry: '12 / 40', cvv: '123' }),
  })
  const { token } = (await response.json()) as { token: string }
  return token
}

type OrderParams = Partial<BodyOf<typeof createOrder>>

let shopperCount = 0

/** A guest who buys. The methods also perform the browser's steps between the API calls. */
export class Shopper {
  readonly visitor: Visitor
  /** A unique e-mail address, because some offers are limited to one per address. */
  readonly email = `viewer-${++shopperCount}@example.com`

  private constructor(visitor: Visitor) {
    this.visitor = visitor
  }

  static async create(site: Pick<TestSite, 'visitor'>, visitor = site.visitor()): Promise<Shopper> {
    await visitor.callOk(getUser)
    return new Shopper(visitor)
  }

  cardToken(card = testCards.pays): Promise<string> {
    return sandboxToken(this.visitor, card)
  }

  async plan(days: number): Promise<Plan> {
    const { list } = await this.visitor.callOk(listPlans)
    const plan = list.find(({ period_days }) => period_days === days)
    if (!plan) throw new Error(`there is no plan of ${days} days`)
    return plan
  }

  tryOrder(params: OrderParams, headers: Record<string, string> = {}): Promise<Envelope<Order>> {
    const body = {
      kind: 'episode' as const,
      gateway: 'sandbox' as const,
      email: this.email,
      ...params,
    }
    return this.visitor.call(createOrder, { body, headers }).then(({ answer }) => answer)
  }

  async order(params: OrderParams, headers: Record<string, string> = {}): Promise<Order> {
    const answer = await this.tryOrder(params, headers)
    if (!answer.info) throw new Error(JSON.stringify(answer))
    return answer.info
  }

  tryPay(
    orderId: string,
    token: string | undefined,
    headers: Record<string, string> = {},
  ): Promise<Envelope<Order>> {
    const body = { order_id: orderId, payment_token: token, first_name: 'Ada', last_name: 'Lovelace' }
    return this.visitor.call(payOrder, { body, headers }).then(({ answer }) => answer)
  }

  /** Creates an order and pays it by card. */
  async buy(
    params: OrderParams,
    card = testCards.pays,
    headers: Record<string, string> = {},
  ): Promise<Envelope<Order>> {
    const order = await this.order(params, headers)
    return this.tryPay(order.id, await this.cardToken(card))
  }

  /** Returns the current state of an order. */
  async getOrder(orderId: string): Promise<Order> {
    const { answer } = await this.visitor.call(getOrders, { query: { order_id: orderId } })
    if (!answer.info) throw new Error(JSON.stringify(answer))
    return answer.info as Order
  }

  /** Responds to the bank's 3-D Secure challenge or to the wallet at `url`. */
  answerBankPage(url: string, answer: 'yes' | 'no'): Promise<Response> {
    const { pathname, searchParams } = new URL(url, this.visitor.url)
    const body = new URLSearchParams([...searchParams, ['answer', answer]])
    return this.visitor.fetch(pathname, {
      method: 'POST',
      body: body.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  }
}
