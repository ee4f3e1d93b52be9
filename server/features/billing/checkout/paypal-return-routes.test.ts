import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { handlePaypalReturn } from './paypal-return-routes.ts'

let site: BillingSite
beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

const followReturnUrl = async (query: string, by = 'paypal-cancel') => {
  const response = await site.visitor().fetch(`/api/webhook/payment/${by}${query}`)
  return [response.status, response.headers.get('location')]
}

/**
 * Creates an order whose payment waits for approval at PayPal.
 * @returns the order, its shopper and the payment's token
 */
async function createWaitingOrder() {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: site.video.episodes[3]?.id, method: 'wallet' })
  await shopper.tryPay(order.id, undefined)
  const { reference } = await site.context.db
    .updateTable('payment_attempts')
    .set({ gateway: 'paypal' })
    .where('order_id', '=', order.id)
    .returning('reference')
    .executeTakeFirstOrThrow()
  return { shopper, order, token: reference ?? '' }
}

/** Simulates the buyer's return from PayPal. The sandbox acts as PayPal. */
const returnFromPaypal = (
  coming: 'approved' | 'cancelled',
  token: string,
  overrides: Partial<PaymentGateway> = {},
) => {
  const paypal = { ...site.sandboxGateway, ...overrides, id: 'paypal' as const }
  return handlePaypalReturn({ ...site.context, gateways: [paypal] }, token, coming)
}

const statesOf = async (orderId: string) => {
  const { db } = site.context
  return db
    .selectFrom('orders')
    .innerJoin('payment_attempts', 'payment_attempts.order_id', 'orders.id')
    .select(['orders.status as order', 'payment_attempts.status as attempt'])
    .where('orders.id', '=', orderId)
    .execute()
}

test('a payment that the buyer cancelled at PayPal is cancelled once, and its order stays open', async () => {
  const { shopper, order, token } = await createWaitingOrder()
  expect(await returnFromPaypal('cancelled', token)).toBe(`/order/result?order_id=${order.id}`)
  expect(await returnFromPaypal('cancelled', token)).toBe(`/order/result?order_id=${order.id}`)
  expect(await statesOf(order.id)).toEqual([{ order: 'pending', attempt: 'cancelled' }])
  expect(await followReturnUrl(`?token=${token}`)).toEqual([303, `/order/result?order_id=${order.id}`])
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'pending' })
})

test('a payment that PayPal reports as approved is captured, even if the URL says that it was cancelled', async () => {
  const { order, token } = await createWaitingOrder()
  const confirmPayment: PaymentGateway['confirmPayment'] = async (reference) => {
    const payment = await site.sandboxGateway.confirmPayment(reference)
    return payment && { ...payment, status: 'succeeded' }
  }
  await returnFromPaypal('cancelled', token, { confirmPayment })
  expect(await statesOf(order.id)).toEqual([{ order: 'paid', attempt: 'succeeded' }])
})

test('a payment that is not yet approved stays open if the buyer returns without cancelling it', async () => {
  const { order, token } = await createWaitingOrder()
  expect(await returnFromPaypal('approved', token)).toBe(`/order/result?order_id=${order.id}`)
  expect(await statesOf(order.id)).toEqual([{ order: 'pending', attempt: 'requires_action' }])
})

test('the buyer is redirected even if PayPal does not answer, and the payment stays open', async () => {
  const { order, token } = await createWaitingOrder()
  const rejectUnavailable = () => Promise.reject(new Error('away'))
  expect(
    await returnFromPaypal('cancelled', token, {
      confirmPayment: rejectUnavailable,
      retrievePayment: rejectUnavailable,
      cancelPayment: rejectUnavailable,
    }),
  ).toContain(order.id)
  expect(await statesOf(order.id)).toEqual([{ order: 'pending', attempt: 'requires_action' }])
})

test.each(['', '?token=', '?token=EC-UNKNOWN', `?token=${'x'.repeat(500)}`, '?token=//evil.example'])(
  'an unknown token (%j) redirects to the result page without an order',
  async (query) => {
    expect(await followReturnUrl(query)).toEqual([303, '/order/result'])
    expect(await followReturnUrl(query, 'paypal-return')).toEqual([303, '/order/result'])
  },
)
