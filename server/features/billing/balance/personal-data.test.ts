import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getBalance, refundBalance, setAutoUnlock } from '#contract/balance.ts'
import { getReceipt, withdraw } from '#contract/consumer-rights.ts'
import { deleteCustomer } from '#contract/studio/customers.ts'
import { deleteUser, getUser, signIn } from '#contract/members.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { exportBilling } from '#server/features/billing/billing.ts'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { readExportParts } from '#server/testing/read-export-parts.ts'
import {
  balanceOf,
  balanceSite,
  expectLedgerAndBalances,
  purchaseTopUp,
  tryUnlockFromBalance,
  createShopperWithBalance,
} from '#server/testing/site/balance-site.ts'
import {
  playbackCode,
  refundsOf,
  runJanitorAfter,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'

const termsText = 'The next episodes unlock for $0.99 each from your balance.'
const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await balanceSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerAndBalances(site))

const unlockEpisode = (shopper: Shopper, number = 4) => tryUnlockFromBalance(site, shopper, number)
const enableAutoUnlock = ({ visitor }: Shopper, daily_limit = 5) =>
  visitor.callOk(setAutoUnlock, {
    body: { video_id: site.video.id, daily_limit, terms_text: termsText, immediate_delivery: true },
  })
const balancesOf = async ({ visitor }: Shopper) => (await visitor.callOk(getBalance)).balances

describe('a guest with a balance who signs in', () => {
  test('has the balance added to the account once, and can spend it there', async () => {
    const { user, email, visitor } = await registerMember(site)
    const member = await Shopper.create(site, visitor)
    await purchaseTopUp(site, member, 'top_5')
    const { shopper: guest } = await createShopperWithBalance(site, 'top_10')
    await unlockEpisode(guest)
    const signedIn = () => guest.visitor.callOk(signIn, { body: { email, password } })
    expect((await signedIn()).id).toBe(user.id)
    expect(await balancesOf(guest)).toMatchObject([{ paid_cents: 1500, bonus_cents: 1 }])
    expect(await balancesOf(member)).toMatchObject([{ available_cents: 1501 }])
    await signedIn()
    expect(await balancesOf(member)).toMatchObject([{ available_cents: 1501 }])
    expect((await unlockEpisode(member, 5)).code).toBe(200)
    expect(await playbackCode(site, member, 4)).toBe(200)
  })

  test('does not turn auto-unlock on for the account', async () => {
    const { email, visitor } = await registerMember(site)
    const member = await Shopper.create(site, visitor)
    await purchaseTopUp(site, member, 'top_5')
    const { shopper: guest } = await createShopperWithBalance(site)
    await enableAutoUnlock(guest)
    await guest.visitor.callOk(signIn, { body: { email, password } })
    expect((await member.visitor.callOk(getBalance)).auto_unlocks).toEqual([])
    await enableAutoUnlock(member, 3)
    const { shopper: another } = await createShopperWithBalance(site)
    await enableAutoUnlock(another, 9)
    await another.visitor.callOk(signIn, { body: { email, password } })
    expect((await member.visitor.callOk(getBalance)).auto_unlocks).toMatchObject([{ daily_limit: 3 }])
  })
})

describe('the export of a user’s data', () => {
  test('contains each balance change, and auto-unlock with its accepted terms', async () => {
    const { shopper, topUp: order } = await createShopperWithBalance(site, 'top_10')
    await unlockEpisode(shopper)
    await enableAutoUnlock(shopper)
    const { id } = await shopper.visitor.callOk(getUser)
    const exported = await readExportParts(exportBilling(site.context.db, id))
    expect(exported['balance_entries']).toMatchObject([
      { kind: 'top_up', order_id: order.id, paid_cents: 1000, bonus_cents: 100 },
      { kind: 'purchase', paid_cents: 0, bonus_cents: -99 },
    ])
    expect(exported['auto_unlocks']).toMatchObject([
      { video_id: site.video.id, daily_limit: 5, terms_text: termsText },
    ])
    expect(exported['orders']).toMatchObject([
      { top_up_id: 'top_10', bonus_cents: 100 },
      { discount_cents: 99 },
    ])
  })
})

describe('a user with unspent paid money who deletes the account', () => {
  test('is shown the amount, and can get it refunded first', async () => {
    const { shopper, topUp: order } = await createShopperWithBalance(site)
    const refused = (await shopper.visitor.call(deleteUser)).answer
    expect(refused).toMatchObject({
      code: 409,
      info: { balances: [{ currency: 'USD', amount_cents: 500, refundable_cents: 500 }] },
    })
    await shopper.visitor.callOk(refundBalance, { body: {} })
    expect(await refundsOf(site, order.id)).toMatchObject([{ amount_cents: 500, status: 'succeeded' }])
    expect(await shopper.visitor.callOk(deleteUser)).toMatchObject({ role: 'visitor' })
  })

  test('is shown the refundable amount, from which spent bonus is deducted', async () => {
    const { shopper } = await createShopperWithBalance(site, [1000, 100])
    await unlockEpisode(shopper)
    const { answer } = await shopper.visitor.call(deleteUser)
    const balance = { currency: 'USD', amount_cents: 1000, refundable_cents: 901 }
    expect(answer).toMatchObject({ code: 409, info: { balances: [balance] } })
    const { refunds } = await shopper.visitor.callOk(refundBalance, { body: {} })
    expect(refunds).toMatchObject([{ amount_cents: 901 }])
  })

  test('may forfeit the money, which is booked as breakage', async () => {
    const { shopper, topUp: order } = await createShopperWithBalance(site, 'top_10')
    await enableAutoUnlock(shopper)
    const { id } = await shopper.visitor.callOk(getUser)
    await shopper.visitor.callOk(deleteUser, { body: { forfeit_balance: true } })
    const { db } = site.context
    const lines = db.selectFrom('ledger_lines').select(['account', 'amount_cents'])
    expect(await lines.where('order_id', '=', order.id).where('account', '=', 'breakage').execute()).toEqual([
      { account: 'breakage', amount_cents: expect.anything() },
    ])
    const rows = await db.selectFrom('auto_unlocks').selectAll().where('user_id', '=', id).execute()
    expect(rows).toEqual([])
  })

  test('can be deleted by support only with the confirmation that the money is forfeited', async () => {
    const support = await signInOperator(site, 'support')
    const { shopper } = await createShopperWithBalance(site, [1000, 100])
    await unlockEpisode(shopper)
    const { id } = await shopper.visitor.callOk(getUser)
    const body = { id, reason: 'asked for it' }
    const { answer } = await support.studio.call(deleteCustomer, { body })
    const balance = { currency: 'USD', amount_cents: 1000, refundable_cents: 901 }
    expect(answer).toMatchObject({ code: 409, info: { balances: [balance] } })
    const command = ['customer', 'delete', id, '--reason', 'asked for it']
    // Operators get the same text as users, and also the amounts.
    await expect(runStudioCommand(site.context, command)).rejects.toThrow(
      'There is still money in the balance. It must be refunded or forfeited before the account can be deleted.\n' +
        'balances: amount $10.00, refundable $9.01',
    )
    await support.studio.callOk(deleteCustomer, { body: { ...body, forfeit_balance: true } })
    expect((await support.studio.call(deleteCustomer, { body })).answer.code).toBe(404)
  })

  test('can be deleted with bonus money left', async () => {
    const { shopper } = await createShopperWithBalance(site, 'top_10')
    await shopper.visitor.callOk(refundBalance, { body: {} })
    await shopper.visitor.callOk(deleteUser)
  })
})

describe('an account with a pending refund of a top-up', () => {
  test('cannot be deleted until the refund ends, even if the user forfeits the balance', async () => {
    const { shopper, topUp: order } = await createShopperWithBalance(site)
    const { id } = await shopper.visitor.callOk(getUser)
    site.gatewayOverrides.refundPayment = () => Promise.reject(new Error('away'))
    await shopper.visitor.callOk(refundBalance, { body: {} })
    const refused = {
      code: 409,
      message:
        'A refund of the balance is still being processed. The account can be deleted once it is done.',
    }
    for (const forfeit_balance of [false, true])
      expect((await shopper.visitor.call(deleteUser, { body: { forfeit_balance } })).answer).toMatchObject(
        refused,
      )
    const support = await signInOperator(site, 'support')
    const request = { body: { id, reason: 'asked for it' } }
    expect((await support.studio.call(deleteCustomer, request)).answer).toMatchObject(refused)
    Reflect.deleteProperty(site.gatewayOverrides, 'refundPayment')
    site.advanceClock(3_600_000)
    await runJanitor(site.context)
    expect(await refundsOf(site, order.id)).toMatchObject([{ amount_cents: 500, status: 'succeeded' }])
    expect(await shopper.visitor.callOk(deleteUser)).toMatchObject({ role: 'visitor' })
  })

  test('can be deleted if the gateway has not responded for twelve days', async () => {
    const { shopper, topUp: order } = await createShopperWithBalance(site)
    site.gatewayOverrides.refundPayment = () => Promise.reject(new Error('away'))
    await shopper.visitor.callOk(refundBalance, { body: {} })
    for (let days = 0; days < 12; days++) await runJanitorAfter(site, day)
    expect(await refundsOf(site, order.id)).toMatchObject([{ status: 'started' }])
    expect(await shopper.visitor.callOk(deleteUser)).toMatchObject({ role: 'visitor' })
  })

  test('gets the money back into the balance, where it is refundable again, if the refund fails', async () => {
    const { shopper } = await createShopperWithBalance(site)
    site.gatewayOverrides.refundPayment = () => Promise.reject(new Error('away'))
    await shopper.visitor.callOk(refundBalance, { body: {} })
    site.gatewayOverrides.refundPayment = () => Promise.reject(new GatewayRefused('no'))
    site.advanceClock(3_600_000)
    await runJanitor(site.context)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500 })
    expect((await shopper.visitor.call(deleteUser)).answer).toMatchObject({
      code: 409,
      info: { balances: [{ currency: 'USD', amount_cents: 500, refundable_cents: 500 }] },
    })
  })
})

describe('a withdrawal from a top-up', () => {
  const last = async (email: string) => {
    const mails = await site.mails(email)
    return mails.flatMap(({ text }) => /#withdraw=([\w-]+)/.exec(text)?.[1] ?? []).at(-1) ?? ''
  }
  const callWithdraw = async (body: { secret?: string; email?: string; order_id?: string }) =>
    (await site.visitor().call(withdraw, { body })).answer

  test('refunds the unspent money, also if immediate delivery was requested', async () => {
    const shopper = await Shopper.create(site)
    const consent = { terms_text: 'At once.', immediate_delivery: true }
    const order = await shopper.order({ kind: 'top_up', top_up_id: 'top_10', consent })
    await shopper.tryPay(order.id, await shopper.cardToken())
    await unlockEpisode(shopper)
    await unlockEpisode(shopper, 5)
    await callWithdraw({ email: shopper.email, order_id: order.id })
    const secret = await last(shopper.email)
    // The episodes cost 198 cents: 100 were paid with bonus, which is set off, and 98 with paid money.
    const answer = { code: 200, info: { done: true, amount_cents: 802, currency: 'USD' } }
    expect(await callWithdraw({ secret })).toMatchObject(answer)
    expect(await callWithdraw({ secret })).toMatchObject(answer)
    expect(await refundsOf(site, order.id)).toMatchObject([{ amount_cents: 802, reason: 'withdrawal' }])
    expect(await balancesOf(shopper)).toEqual([])
    expect(await playbackCode(site, shopper)).toBe(200)
  })

  test('is not possible after 14 days, but the user can then refund the balance', async () => {
    const { shopper } = await createShopperWithBalance(site)
    site.advanceClock(15 * day)
    await callWithdraw({ email: shopper.email })
    expect(await last(shopper.email)).toBe('')
    expect((await shopper.visitor.callOk(refundBalance, { body: {} })).refunds).toMatchObject([
      { amount_cents: 500 },
    ])
  })
})

describe('a receipt', () => {
  test('names the amount of a top-up, and the episode of a purchase from the balance', async () => {
    const { shopper } = await createShopperWithBalance(site)
    await unlockEpisode(shopper)
    const subjects = (await site.mails(shopper.email)).map(({ subject }) => subject)
    expect(subjects[0]).toBe('Your receipt: $5.00 for your balance')
    expect(subjects[1]).toMatch(/episode 4$/)
  })

  test('shows bonus money as a discount on the total', async () => {
    const shopper = await Shopper.create(site)
    await purchaseTopUp(site, shopper, [500, 40])
    const { info } = await unlockEpisode(shopper)
    const [, receipt] = await site.mails(shopper.email)
    expect(receipt?.text).toContain('Paid with bonus: $0.40')
    expect(receipt?.text).toContain('Total (tax included): $0.59')
    const query = { order_id: info?.id ?? '' }
    expect(await shopper.visitor.callOk(getReceipt, { query })).toMatchObject({
      amount_cents: 99,
      discount_cents: 40,
      net_cents: 59,
    })
  })
})
