import { afterAll, beforeAll, expect, test } from 'vitest'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { Shopper } from '#server/testing/shopper.ts'
import type { PaymentGateway } from './gateway.ts'
import { leavePayment } from './leave-paypal.ts'

let site: MoneySite
beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

const comeBack = async (query: string) => {
  const response = await site.visitor().fetch(`/api/webhook/payment/paypal-cancel${query}`)
  return [response.status, response.headers.get('location')]
}

/** An order whose payment waits in the wallet. @returns it, its shopper and the payment's token */
async function waiting() {
  const shopper = await Shopper.on(site)
  const order = await shopper.order({ episode_id: site.video.episodes[3]?.id, method: 'wallet' })
  await shopper.tryPay(order.id, undefined)
  const { reference } = await site.context.db
    .updateTable('attempts')
    .set({ gateway: 'paypal' })
    .where('order_id', '=', order.id)
    .returning('reference')
    .executeTakeFirstOrThrow()
  return { shopper, order, token: reference ?? '' }
}

/** Comes back on a site with PayPal, which the sandbox stands for. */
const leave = (token: string, trouble: Partial<PaymentGateway> = {}) => {
  const paypal = { ...site.sound, ...trouble, id: 'paypal' as const }
  return leavePayment({ ...site.context, gateways: [paypal] }, token)
}

const statesOf = async (orderId: string) => {
  const { db } = site.context
  return db
    .selectFrom('orders')
    .innerJoin('attempts', 'attempts.order_id', 'orders.id')
    .select(['orders.status as order', 'attempts.status as attempt'])
    .where('orders.id', '=', orderId)
    .execute()
}

test('a payment that was called off at PayPal is cancelled, once; the order can be paid another way', async () => {
  const { shopper, order, token } = await waiting()
  expect(await leave(token)).toBe(`/order/result?order_id=${order.id}`)
  expect(await leave(token)).toBe(`/order/result?order_id=${order.id}`)
  expect(await statesOf(order.id)).toEqual([{ order: 'pending', attempt: 'cancelled' }])
  expect(await comeBack(`?token=${token}`)).toEqual([303, `/order/result?order_id=${order.id}`])
  expect(await shopper.look(order.id)).toMatchObject({ status: 'pending' })
})

test('one that PayPal says was approved is finished, whatever the address says', async () => {
  const { order, token } = await waiting()
  const complete: PaymentGateway['complete'] = async (reference) => {
    const payment = await site.sound.complete(reference)
    return payment && { ...payment, status: 'succeeded' }
  }
  await leave(token, { complete })
  expect(await statesOf(order.id)).toEqual([{ order: 'paid', attempt: 'succeeded' }])
})

test('where PayPal gives no answer the person goes on all the same, and the payment stays open', async () => {
  const { order, token } = await waiting()
  const away = () => Promise.reject(new Error('away'))
  expect(await leave(token, { complete: away, retrieve: away, cancel: away })).toContain(order.id)
  expect(await statesOf(order.id)).toEqual([{ order: 'pending', attempt: 'requires_action' }])
})

test.each(['', '?token=', '?token=EC-UNKNOWN', `?token=${'x'.repeat(500)}`, '?token=//evil.example'])(
  'an unknown token (%j) leads to the page without an order',
  async (query) => {
    expect(await comeBack(query)).toEqual([303, '/order/result'])
  },
)
