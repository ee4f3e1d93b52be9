import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { Shopper } from '#server/testing/shopper.ts'

let site: MoneySite
beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

const comeBack = async (query: string) => {
  const response = await site.visitor().fetch(`/api/webhook/payment/paypal-cancel${query}`)
  return [response.status, response.headers.get('location')]
}

test('whoever called a payment off at PayPal comes to the page of the order, and nothing else changes', async () => {
  const shopper = await Shopper.on(site)
  const order = await shopper.order({ episode_id: site.video.episodes[3]?.id })
  await site.context.db
    .insertInto('attempts')
    .values({
      id: newId('att'),
      order_id: order.id,
      number: 1,
      idempotency_key: 'a key',
      gateway: 'paypal',
      status: 'failed',
      reference: 'EC-7TOKEN',
      started_at: new Date(),
    })
    .execute()
  expect(await comeBack('?token=EC-7TOKEN')).toEqual([303, `/order/result?order_id=${order.id}`])
  expect(await shopper.look(order.id)).toMatchObject({ status: 'pending' })
})

test.each(['', '?token=', '?token=EC-UNKNOWN', `?token=${'x'.repeat(500)}`, '?token=//evil.example'])(
  'an unknown token (%j) leads to the page without an order',
  async (query) => {
    expect(await comeBack(query)).toEqual([303, '/order/result'])
  },
)
