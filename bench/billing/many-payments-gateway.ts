import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** An HTTP server that lists payments as Stripe does. It generates each payment from the payment's number. */
export interface ManyPaymentsGateway {
  url: string
  /** Number of requests so far. */
  requests(): number
  close(): Promise<void>
}

interface PaymentDay {
  /** Number of payments on the day. */
  count: number
  /** Start of the day in Unix seconds. */
  from: number
}

const daySeconds = 86_400

/** Returns the id of a payment. A page of Stripe's list starts after such an id (`starting_after`). */
export const paymentId = (number: number) => `pi_bench${number}`

export async function startManyPaymentsGateway(day: PaymentDay): Promise<ManyPaymentsGateway> {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const page = pathname === '/v1/payment_intents' ? listPayments(day, searchParams) : []
    const has_more = page.length > 0 && page.length === Number(searchParams.get('limit'))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'list', url: pathname, data: page, has_more }))
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  // The cast is safe: the server listens on a TCP port.
  const { port } = listening.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Returns a page of payments, latest first. Payment 1 is the earliest of the day. */
function listPayments(day: PaymentDay, query: URLSearchParams): object[] {
  const createdAt = (number: number) => day.from + Math.floor((number * daySeconds) / (day.count + 1))
  const [earliest, latest] = [
    Number(query.get('created[gte]')),
    Number(query.get('created[lte]') ?? Infinity),
  ]
  const after = query.get('starting_after')
  let number = after === null ? day.count : Number(after.slice(paymentId(0).length - 1)) - 1
  // Jumps to the latest payment of the range.
  if (after === null && latest < Infinity)
    number = Math.min(day.count, Math.ceil(((latest + 1 - day.from) * (day.count + 1)) / daySeconds))
  const page: object[] = []
  for (; number >= 1 && page.length < Number(query.get('limit')); number--) {
    if (createdAt(number) > latest) continue
    if (createdAt(number) < earliest) break
    page.push(presentPayment(number, createdAt(number)))
  }
  return page
}

/** Returns a succeeded payment with as much data as Stripe sends. */
function presentPayment(number: number, created: number): object {
  const id = paymentId(number)
  const metadata = { order_id: `ord_${number}`, attempt_id: `att_${number}`, purchase: 'x'.repeat(200) }
  const charge = {
    id: `ch_${number}`,
    object: 'charge',
    amount: 999,
    amount_refunded: 0,
    currency: 'usd',
    created,
    disputed: false,
    refunded: false,
    paid: true,
    status: 'succeeded',
    payment_intent: id,
    metadata,
    billing_details: { address: { country: 'US' }, email: `${number}@example.com` },
    balance_transaction: { id: `txn_${number}`, amount: 999, fee: 59, net: 940, currency: 'usd' },
    payment_method_details: { type: 'card', card: { brand: 'visa', last4: '4242', exp_year: 2040 } },
    receipt_url: `https://pay.stripe.example/receipts/${'r'.repeat(200)}`,
  }
  return {
    id,
    object: 'payment_intent',
    amount: 999,
    amount_received: 999,
    currency: 'usd',
    created,
    client_secret: `${id}_secret_${'s'.repeat(24)}`,
    customer: `cus_${number}`,
    last_payment_error: null,
    latest_charge: charge,
    metadata,
    payment_method: `pm_${number}`,
    payment_method_types: ['card'],
    setup_future_usage: null,
    status: 'succeeded',
  }
}
