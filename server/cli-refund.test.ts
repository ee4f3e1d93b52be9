import { afterAll, beforeAll, expect, test } from 'vitest'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { Shopper } from '#server/testing/shopper.ts'
import { refundByCommand } from './cli-refund.ts'
import { ConfigError } from './platform/config-error.ts'

const usage = 'npm run refund -- ORDER'
let site: MoneySite
let orderId: string

beforeAll(async () => {
  site = await moneySite()
  const shopper = await Shopper.on(site)
  const { info } = await shopper.buy({ episode_id: site.video.episodes[3]?.id })
  orderId = info?.id ?? ''
})
afterAll(() => site.close())

const run = (...args: string[]) => refundByCommand(site.context, args, usage)

test('the command refunds a part, then the rest, and says what has gone back', async () => {
  expect(await run(orderId, '--cents', '40', '--reason', 'goodwill')).toBe(
    `Refunded $0.40. Of order ${orderId} $0.40 of $0.99 has gone back; it is partially_refunded now.`,
  )
  expect(await run(orderId)).toBe(
    `Refunded $0.59. Of order ${orderId} $0.99 of $0.99 has gone back; it is refunded now.`,
  )
  await expect(run(orderId)).rejects.toThrow(/nothing to refund/)
})

test('it says that it goes on asking where the gateway gives no answer', async () => {
  const shopper = await Shopper.on(site)
  const { info } = await shopper.buy({ episode_id: site.video.episodes[3]?.id })
  site.trouble.refund = () => Promise.reject(new Error('no route'))
  expect(await run(info?.id ?? '')).toMatch(/gave no answer yet.*asked for again/)
  delete site.trouble.refund
})

test.each([
  [[]],
  [['one', 'two']],
  [['ord_1', '--cents', '4.99']],
  [['ord_1', '--cents', '0']],
  [['ord_1', '--all']],
])('it refuses what it does not understand, and says how it is used: %j', async (args) => {
  await expect(run(...args)).rejects.toThrow(ConfigError)
  await expect(run(...args)).rejects.toThrow(usage)
})

test('it refuses an order that is not there', async () => {
  await expect(run('ord_none')).rejects.toThrow(/nothing here/)
})
