import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { balance } from '#server/testing/books.ts'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { Shopper } from '#server/testing/shopper.ts'
import { Subscriber } from '#server/testing/subscriber.ts'
import { reconcile } from './reconcile.ts'

const hour = 3_600_000
let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())
afterEach(async () => {
  for (const name of Object.keys(site.trouble)) delete site.trouble[name as keyof typeof site.trouble]
  const { ours, theirs } = await balance(site.context.db)
  expect(ours).toBe(theirs)
})

test('a payment of which only the gateway knows is found and settled, also once the janitor has given it up', async () => {
  const person = await Subscriber.on(site)
  site.trouble.chargeSaved = async (charge) => {
    await site.sound.chargeSaved(charge)
    throw new Error('the line broke')
  }
  await person.after(7 * 24 * hour)
  await site.context.db
    .updateTable('attempts')
    .set({ check_at: null })
    .where('status', '=', 'unknown')
    .execute()
  await reconcile(site.context)
  expect(await person.row()).toMatchObject({ status: 'active', period_no: 1 })
  await reconcile(site.context)
  expect(await person.payments('succeeded')).toHaveLength(2)
})

test('a payment that was settled as failed and went through after all goes back, once', async () => {
  const shopper = await Shopper.on(site)
  const order = await shopper.order({ episode_id: site.video.episodes[3]?.id })
  site.trouble.start = async (charge) => {
    await site.sound.start(charge)
    throw new Error('the line broke')
  }
  await shopper.tryPay(order.id, await shopper.token())
  await site.context.db
    .updateTable('attempts')
    .set({ status: 'failed', decline_code: 'not_received', check_at: null })
    .where('order_id', '=', order.id)
    .execute()
  await reconcile(site.context)
  await reconcile(site.context)
  const [payment] = (await site.sound.listSince(new Date(0))).filter(({ orderId }) => orderId === order.id)
  expect(payment).toMatchObject({ status: 'succeeded', amountCents: 99, refundedCents: 99 })
  const returned = await site.context.db
    .selectFrom('refunds')
    .innerJoin('attempts', 'attempts.id', 'refunds.attempt_id')
    .select('refunds.status')
    .where('attempts.order_id', '=', order.id)
    .execute()
  expect(returned).toEqual([{ status: 'succeeded' }])
})

test('each round lists from where the last that succeeded ended; a gateway that is away is asked from there again', async () => {
  const asked: number[] = []
  site.trouble.listSince = async (time) => {
    asked.push(site.context.clock.now().getTime() - time.getTime())
    return []
  }
  const hours = () => Math.round((asked.at(-1) ?? 0) / hour)
  await reconcile(site.context)
  site.moveOn(5 * hour)
  await reconcile(site.context)
  expect(hours()).toBe(48 + 5)
  site.trouble.listSince = () => Promise.reject(new Error('away'))
  site.moveOn(100 * hour)
  await reconcile(site.context)
  site.trouble.listSince = async (time) => {
    asked.push(site.context.clock.now().getTime() - time.getTime())
    return []
  }
  await reconcile(site.context)
  expect(hours()).toBe(48 + 100)
})
