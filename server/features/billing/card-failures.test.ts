import { afterAll, beforeAll, expect, test } from 'vitest'
import { payOrder } from '#contract/billing.ts'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { Shopper, testCards } from '#server/testing/shopper.ts'

let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

async function pay(shopper: Shopper, order_id: string) {
  const payment_token = await shopper.token()
  const body = { order_id, payment_token, first_name: 'Ada', last_name: 'Lovelace' }
  return shopper.visitor.call(payOrder, { body })
}

test('the sixth card within an hour of five declined ones is not tried, for that person only', async () => {
  const [shopper, other] = [await Shopper.on(site), await Shopper.on(site)]
  const episode = (index: number) => ({ episode_id: site.video.episodes[index]?.id })
  const one = await shopper.order(episode(3))
  for (let tries = 0; tries < 4; tries++) {
    const answer = await shopper.tryPay(one.id, await shopper.token(testCards.declined))
    expect(answer).toMatchObject({ code: 500, message: /declined/ })
  }
  expect(await shopper.buy(episode(4), testCards.declined)).toMatchObject({ code: 500 })
  const refused = await pay(shopper, one.id)
  expect([refused.status, refused.answer.code]).toEqual([429, 429])
  const wait = Number(refused.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(3_500)
  expect(wait).toBeLessThanOrEqual(3_600)
  expect(await other.buy(episode(3))).toMatchObject({ code: 200, info: { status: 'paid' } })
  site.moveOn((wait + 1) * 1000)
  expect((await pay(shopper, one.id)).answer).toMatchObject({ code: 200, info: { status: 'paid' } })
})

test('cards that are tried at once from one address do not share its last turn', async () => {
  const shared = await moneySite({ LIMIT_CARD_FAILURES_IP: '1/h' })
  try {
    const wish = { episode_id: shared.video.episodes[3]?.id }
    const people = await Promise.all(Array.from({ length: 4 }, () => Shopper.on(shared)))
    const orders = await Promise.all(people.map((person) => person.order(wish)))
    const tokens = await Promise.all(people.map((person) => person.token(testCards.declined)))
    const tries = people.map(({ visitor }, index) =>
      visitor.call(payOrder, {
        body: {
          order_id: orders[index]?.id ?? '',
          payment_token: tokens[index] ?? '',
          first_name: 'Ada',
          last_name: 'Lovelace',
        },
      }),
    )
    const codes = (await Promise.all(tries)).map(({ answer }) => answer.code)
    expect(codes.toSorted()).toEqual([429, 429, 429, 500])
  } finally {
    await shared.close()
  }
})

test('a card that pays takes no turn of its address', async () => {
  const shared = await moneySite({ LIMIT_CARD_FAILURES_IP: '1/h' })
  try {
    const wish = { episode_id: shared.video.episodes[3]?.id }
    for (let person = 0; person < 3; person++)
      expect(await (await Shopper.on(shared)).buy(wish)).toMatchObject({ code: 200 })
  } finally {
    await shared.close()
  }
})

test('an address from which too many cards failed pays nothing for a while, whoever it is', async () => {
  const shared = await moneySite({ LIMIT_CARD_FAILURES_IP: '2/h' })
  try {
    const wish = { episode_id: shared.video.episodes[3]?.id }
    for (let person = 0; person < 2; person++) {
      const shopper = await Shopper.on(shared)
      expect(await shopper.buy(wish, testCards.declined)).toMatchObject({ code: 500, message: /declined/ })
    }
    const shopper = await Shopper.on(shared)
    const order = await shopper.order(wish)
    const payment_token = await shopper.token()
    const body = { order_id: order.id, payment_token, first_name: 'Ada', last_name: 'Lovelace' }
    const refused = await shopper.visitor.call(payOrder, { body })
    expect(refused.status).toBe(429)
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(3_500)
    shared.moveOn((wait + 1) * 1000)
    expect((await shopper.visitor.call(payOrder, { body })).answer).toMatchObject({ code: 500 })
    expect(await shopper.tryPay(order.id, await shopper.token())).toMatchObject({ code: 200 })
  } finally {
    await shared.close()
  }
})
