import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getBalance, listBalanceEntries } from '#contract/balance.ts'
import { getPayment, getSavedMethod } from '#contract/billing.ts'
import { claimPurchase } from '#contract/consumer-rights.ts'
import { getUser, registerUser } from '#contract/members.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import {
  balanceOf,
  balanceSite,
  bankSays,
  expectBalanced,
  press,
  topUp,
  withBalance,
} from '#server/testing/site/balance-site.ts'
import { episodeOf, playing, type MoneySite } from '#server/testing/site/money-site.ts'

const password = 'nine parts of a drama'
let site: MoneySite

beforeAll(async () => {
  site = await balanceSite()
})
afterAll(() => site.close())
afterEach(() => expectBalanced(site))

/** Returns the secrets of the claims in a shopper's receipts, first one first. */
async function claimsOf({ email }: Shopper): Promise<string[]> {
  const mails = await site.mails(email)
  return mails.flatMap(({ text }) => /#claim=([\w-]+)/.exec(text)?.[1] ?? [])
}

const claim = async ({ visitor }: Shopper, secret = '') =>
  (await visitor.call(claimPurchase, { body: { claim: secret } })).answer

async function ordersOf({ visitor }: Shopper): Promise<string[]> {
  const found = await visitor.ask(getPayment)
  return 'list' in found ? found.list.map(({ id }) => id) : []
}

/** Creates a guest with a balance and two episodes. @returns the secrets of the receipts: of the top-up, and of each episode */
async function guest() {
  const { shopper, topUp: order } = await withBalance(site)
  const bought = [await press(site, shopper, 4), await press(site, shopper, 5)]
  return { shopper, topUp: order, bought, secrets: await claimsOf(shopper) }
}

describe('a claim in another browser of what a guest with a balance has bought', () => {
  test('brings that purchase, and leaves the balance and all else with the guest', async () => {
    const { shopper, bought, secrets } = await guest()
    const device = await Shopper.on(site)
    expect(await claim(device, secrets[1])).toMatchObject({
      code: 200,
      info: { role: 'member', email: shopper.email },
    })
    expect([await playing(site, device, 4), await playing(site, device, 5)]).toEqual([200, 402])
    expect(await ordersOf(device)).toEqual([bought[0]?.id])
    expect((await device.visitor.ask(getBalance)).balances).toEqual([])
    expect(await shopper.visitor.ask(getUser)).toMatchObject({ role: 'visitor' })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 302 })
    expect([await playing(site, shopper, 4), await playing(site, shopper, 5)]).toEqual([402, 200])
    expect(await claim(await Shopper.on(site), secrets[1])).toMatchObject({ code: 500 })
  })

  test('is refunded to the balance that paid for it', async () => {
    const { shopper, bought, secrets } = await guest()
    const device = await Shopper.on(site)
    await claim(device, secrets[1])
    await refundOrder(site.context, bought[0]?.id ?? '', { reason: 'asked for it' })
    expect(await playing(site, device, 4)).toBe(402)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 401 })
    expect((await shopper.visitor.ask(listBalanceEntries)).list[0]).toMatchObject({ kind: 'refund' })
    expect((await device.visitor.ask(listBalanceEntries)).list).toEqual([])
  })

  test('is taken by a chargeback of the top-up that paid for it', async () => {
    const { shopper, topUp: order, secrets } = await guest()
    const device = await Shopper.on(site)
    await claim(device, secrets[1])
    await bankSays(site, order, 'open')
    expect([await playing(site, device, 4), await playing(site, shopper, 5)]).toEqual([402, 402])
    expect(await balanceOf(shopper)).toBeUndefined()
  })

  test('brings a plan, whose card pays for nothing else', async () => {
    const { shopper } = await withBalance(site)
    const { id: plan_id } = await shopper.plan(7)
    const order = await shopper.order({ kind: 'plan', plan_id })
    await shopper.tryPay(order.id, await shopper.token())
    const device = await Shopper.on(site)
    const [, secret] = await claimsOf(shopper)
    expect(await claim(device, secret)).toMatchObject({
      info: { membership: { state: 'subscribed', method: { last4: '4242' } } },
    })
    expect(await device.visitor.ask(getSavedMethod)).toEqual({ saved_method: null })
    expect([await playing(site, device), await playing(site, shopper)]).toEqual([200, 402])
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500 })
  })

  test('is refused for a top-up, whose guest still has the balance', async () => {
    const { shopper, secrets } = await guest()
    expect(await claim(await Shopper.on(site), secrets[0])).toMatchObject({
      code: 409,
      message: 'Open this link in the browser in which you topped up your balance.',
    })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 302 })
  })
})

test('a claim in the guest’s own browser keeps the balance, in an account', async () => {
  const { shopper, secrets } = await guest()
  expect(await claim(shopper, secrets[0])).toMatchObject({ code: 200, info: { role: 'member' } })
  expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 302 })
  expect([await playing(site, shopper, 4), await playing(site, shopper, 5)]).toEqual([200, 200])
})

describe('a claim opens no account with a balance without its password', () => {
  const register = ({ visitor }: Shopper, email: string) =>
    visitor.ask(registerUser, { body: { email, password, repeat_password: password } })

  test('where another guest has bought with the same unproven address', async () => {
    const buyer = await Shopper.on(site)
    await buyer.buy({ episode_id: episodeOf(site) })
    const member = await Shopper.on(site)
    await register(member, buyer.email)
    await topUp(site, member, [500])
    const [secret] = await claimsOf(buyer)
    expect(await claim(await Shopper.on(site), secret)).toMatchObject({ code: 401 })
    expect(await balanceOf(member)).toMatchObject({ paid_cents: 500 })
    expect(await claim(member, secret)).toMatchObject({ code: 200, info: { role: 'member' } })
    expect(await playing(site, member)).toBe(200)
  })

  test('where the guest has become the member', async () => {
    const { shopper, secrets } = await guest()
    await register(shopper, shopper.email)
    expect(await claim(await Shopper.on(site), secrets[1])).toMatchObject({ code: 500 })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 302 })
  })
})
