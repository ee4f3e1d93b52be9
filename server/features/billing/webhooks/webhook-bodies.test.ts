import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGatewaySite, type GatewaySite } from '#server/testing/site/gateway-site.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { signBody } from '#server/features/billing/gateways/sandbox/webhooks.ts'

let site: BillingSite
let others: GatewaySite
beforeAll(async () => {
  site = await startBillingSite()
  others = await startGatewaySite()
})
afterAll(async () => {
  await others.close()
  await site.close()
})

const long = 'x'.repeat(300)

test.each(['null', '7', '"text"', '[]', 'true', '{', '', '{}', '{"id":"sevt_1"}', '{"id":7,"payment":{}}'])(
  'a signed webhook body that is no event is refused with 400: %s',
  async (text) => {
    // The secret of the site's sandbox (billing-site.ts).
    const signing = { secret: 'a secret of the tests', clock: site.context.clock }
    const { body, headers } = signBody(signing, text)
    const response = await fetch(`${site.url}/api/webhook/payment/sandbox`, { method: 'POST', body, headers })
    expect(response.status).toBe(400)
  },
)

test.each([
  {},
  { id: 'evt_1' },
  { id: 'evt_1', data: null },
  { id: 'evt_1', data: { object: null } },
  { id: 'evt_1', data: { object: 'pi_1' } },
  { id: 'evt_1', data: { object: { id: 7 } } },
  { id: 'evt_1', data: { object: { id: long } } },
  { id: 7, data: { object: { id: 'pi_1' } } },
  { id: long, data: { object: { id: 'pi_1' } } },
])(
  "a signed webhook event that lacks the shape of Stripe's events is refused with 400 (case %#)",
  async (event) => {
    const { body, headers } = others.stripe.sign(event)
    expect(await post('stripe', body, headers)).toBe(400)
  },
)

test.each([
  {},
  { id: 'WH-1' },
  { id: 'WH-1', event_type: 'CUSTOMER.DISPUTE.CREATED', resource: 'text' },
  { id: 'WH-1', event_type: 'CUSTOMER.DISPUTE.CREATED', resource: { disputed_transactions: [null] } },
  { id: 'WH-1', event_type: 'PAYMENT.CAPTURE.REFUNDED', resource: { links: {} } },
  { id: 'WH-1', event_type: 'PAYMENT.CAPTURE.REFUNDED', resource: { links: [{ rel: 'up', href: 7 }] } },
  { id: 'WH-1', event_type: 'CHECKOUT.ORDER.APPROVED', resource: { id: {} } },
  { id: 'WH-1', event_type: 'CHECKOUT.ORDER.APPROVED', resource: { id: long } },
  { id: long, event_type: 'CHECKOUT.ORDER.APPROVED', resource: { id: 'ORDER1' } },
])(
  "a signed webhook event that lacks the shape of PayPal's events is refused with 400 (case %#)",
  async (event) => {
    const { body, headers } = others.paypal.signed(event)
    expect(await post('paypal', body, headers)).toBe(400)
  },
)

test('events about objects other than payments are accepted', async () => {
  const balance = others.stripe.sign({ id: 'evt_1', data: { object: { object: 'balance' } } })
  expect(await post('stripe', balance.body, balance.headers)).toBe(204)
  const charge = others.stripe.sign({ id: 'evt_2', data: { object: { id: 'ch_1', payment_intent: null } } })
  expect(await post('stripe', charge.body, charge.headers)).toBe(204)
  const plan = others.paypal.signed({ id: 'WH-2', event_type: 'BILLING.PLAN.CREATED', resource: null })
  expect(await post('paypal', plan.body, plan.headers)).toBe(204)
})

async function post(gateway: string, body: Buffer, headers: Record<string, string>): Promise<number> {
  const url = `${others.site.url}/api/webhook/payment/${gateway}`
  return (await fetch(url, { method: 'POST', body: body.toString(), headers })).status
}
