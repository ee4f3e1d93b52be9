import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getBalance, listBalanceEntries } from '#contract/balance.ts'
import { getOrders, getSavedPaymentMethod } from '#contract/billing.ts'
import { claimPurchase } from '#contract/consumer-rights.ts'
import { getUser, registerUser } from '#contract/members.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import {
  balanceOf,
  balanceSite,
  setDisputeStatus,
  expectLedgerAndBalances,
  unlockFromBalance,
  purchaseTopUp,
  createShopperWithBalance,
} from '#server/testing/site/balance-site.ts'
import { episodeIdOf, playbackCode, type BillingSite } from '#server/testing/site/billing-site.ts'

const password = 'nine parts of a drama'
let site: BillingSite

beforeAll(async () => {
  site = await balanceSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerAndBalances(site))

/** Returns the secrets of the claims in a shopper's receipts, first receipt first. */
async function claimsOf({ email }: Shopper): Promise<string[]> {
  const mails = await site.mails(email)
  return mails.flatMap(({ text }) => /#claim=([\w-]+)/.exec(text)?.[1] ?? [])
}

const claim = async ({ visitor }: Shopper, secret = '') =>
  (await visitor.call(claimPurchase, { body: { secret } })).answer

async function ordersOf({ visitor }: Shopper): Promise<string[]> {
  const found = await visitor.callOk(getOrders)
  return 'list' in found ? found.list.map(({ id }) => id) : []
}

/** Creates a guest with a balance and two episodes. `secrets` are from the receipts, beginning with the top-up. */
async function guest() {
  const { shopper, topUp: order } = await createShopperWithBalance(site)
  const bought = [await unlockFromBalance(site, shopper, 4), await unlockFromBalance(site, shopper, 5)]
  return { shopper, topUp: order, bought, secrets: await claimsOf(shopper) }
}

describe('a purchase of a guest with a balance, claimed in another browser', () => {
  test('is moved without the balance and without the guest’s other purchases', async () => {
    const { shopper, bought, secrets } = await guest()
    const device = await Shopper.create(site)
    expect(await claim(device, secrets[1])).toMatchObject({
      code: 200,
      info: { role: 'member', email: shopper.email },
    })
    expect([await playbackCode(site, device, 4), await playbackCode(site, device, 5)]).toEqual([200, 402])
    expect(await ordersOf(device)).toEqual([bought[0]?.id])
    expect((await device.visitor.callOk(getBalance)).balances).toEqual([])
    expect(await shopper.visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 302 })
    expect([await playbackCode(site, shopper, 4), await playbackCode(site, shopper, 5)]).toEqual([402, 200])
    expect(await claim(await Shopper.create(site), secrets[1])).toMatchObject({ code: 500 })
  })

  test('is refunded to the guest’s balance, not to the new owner of the purchase', async () => {
    const { shopper, bought, secrets } = await guest()
    const device = await Shopper.create(site)
    await claim(device, secrets[1])
    await refundOrder(site.context, bought[0]?.id ?? '', { reason: 'asked for it' })
    expect(await playbackCode(site, device, 4)).toBe(402)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 401 })
    expect((await shopper.visitor.callOk(listBalanceEntries)).list[0]).toMatchObject({ kind: 'refund' })
    expect((await device.visitor.callOk(listBalanceEntries)).list).toEqual([])
  })

  test('is revoked by a chargeback of the top-up that paid for it', async () => {
    const { shopper, topUp: order, secrets } = await guest()
    const device = await Shopper.create(site)
    await claim(device, secrets[1])
    await setDisputeStatus(site, order, 'open')
    expect([await playbackCode(site, device, 4), await playbackCode(site, shopper, 5)]).toEqual([402, 402])
    expect(await balanceOf(shopper)).toBeUndefined()
  })

  test('may be a plan, whose card then pays for the plan, but not for other purchases', async () => {
    const { shopper } = await createShopperWithBalance(site)
    const { id: plan_id } = await shopper.plan(7)
    const order = await shopper.order({ kind: 'plan', plan_id })
    await shopper.tryPay(order.id, await shopper.cardToken())
    const device = await Shopper.create(site)
    const [, secret] = await claimsOf(shopper)
    expect(await claim(device, secret)).toMatchObject({
      info: { membership: { state: 'subscribed', method: { last4: '4242' } } },
    })
    expect(await device.visitor.callOk(getSavedPaymentMethod)).toEqual({ saved_method: null })
    expect([await playbackCode(site, device), await playbackCode(site, shopper)]).toEqual([200, 402])
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500 })
  })

  test('cannot be a top-up, because the balance stays with the guest', async () => {
    const { shopper, secrets } = await guest()
    expect(await claim(await Shopper.create(site), secrets[0])).toMatchObject({
      code: 409,
      message: 'Open this link in the browser in which you topped up your balance.',
    })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 302 })
  })
})

test('a claim in the guest’s own browser moves the balance into an account', async () => {
  const { shopper, secrets } = await guest()
  expect(await claim(shopper, secrets[0])).toMatchObject({ code: 200, info: { role: 'member' } })
  expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 302 })
  expect([await playbackCode(site, shopper, 4), await playbackCode(site, shopper, 5)]).toEqual([200, 200])
})

describe('a claim does not sign in to an account with a balance', () => {
  const register = ({ visitor }: Shopper, email: string) =>
    visitor.callOk(registerUser, { body: { email, password, repeat_password: password } })

  test('if another guest bought with the account’s unverified address', async () => {
    const buyer = await Shopper.create(site)
    await buyer.buy({ episode_id: episodeIdOf(site) })
    const member = await Shopper.create(site)
    await register(member, buyer.email)
    await purchaseTopUp(site, member, [500])
    const [secret] = await claimsOf(buyer)
    expect(await claim(await Shopper.create(site), secret)).toMatchObject({ code: 401 })
    expect(await balanceOf(member)).toMatchObject({ paid_cents: 500 })
    expect(await claim(member, secret)).toMatchObject({ code: 200, info: { role: 'member' } })
    expect(await playbackCode(site, member)).toBe(200)
  })

  test('if the guest has registered the account', async () => {
    const { shopper, secrets } = await guest()
    await register(shopper, shopper.email)
    expect(await claim(await Shopper.create(site), secrets[1])).toMatchObject({ code: 500 })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 302 })
  })
})
