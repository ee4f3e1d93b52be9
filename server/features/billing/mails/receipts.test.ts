import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { orderNumber } from '#contract/order-number.ts'
import { cancelSubscription } from '#contract/billing.ts'
import { getReceipt } from '#contract/consumer-rights.ts'
import { changeUser } from '#contract/members.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { registerMember } from '#server/testing/builders/register-member.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { splitTax } from './split-tax.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite({
    OPERATOR_NAME: 'Harbour Dramas Ltd',
    OPERATOR_ADDRESS: '1 Quay, 20457 Hamburg',
    TAX_NUMBER: 'DE123456789',
    TAX_RATE: '19',
  })
})
afterAll(() => site.close())

const episode = () => ({ kind: 'episode' as const, episode_id: site.video.episodes[4]?.id ?? '' })
const receiptsOf = async (email: string) =>
  (await site.mails(email)).filter(({ subject }) => /receipt/i.test(subject))

describe('the receipt of a purchase', () => {
  it('names the product, the seller, the order, and net, tax and total to the cent', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy(episode())
    const [mail, ...others] = await receiptsOf(shopper.email)
    expect(others).toEqual([])
    expect(mail?.subject).toMatch(/^Your receipt: “.+”, episode 5$/)
    for (const words of [
      `Order number: ${orderNumber(info?.id ?? '')}`,
      'Subtotal: $0.83',
      'Tax, 19%: $0.16',
      'Total (tax included): $0.99',
      'Seller: Harbour Dramas Ltd, 1 Quay, 20457 Hamburg',
      'Tax ID: DE123456789',
    ])
      expect(mail?.text).toContain(words)
    expect(mail?.text).not.toMatch(/#cancel=|renew|{{/)
    expect(mail?.html).toContain('$0.83</td>')
  })

  it('has a link that adds the purchase to an account if the buyer is a guest', async () => {
    const shopper = await Shopper.create(site)
    await shopper.buy(episode())
    const [mail] = await receiptsOf(shopper.email)
    expect(mail?.link).toMatch(/^http:\/\/localhost:3000\/my#claim=[\w-]{43}$/)
    const { db } = site.context
    const secret = mail?.link.split('=')[1] ?? ''
    const links = await db.selectFrom('order_links').selectAll().execute()
    expect(JSON.stringify(links)).not.toContain(secret)
    const member = await Shopper.create(site)
    await registerMember(site, member.visitor)
    await member.buy(episode())
    const [receipt] = await receiptsOf(member.email)
    expect(receipt?.link).toBe('http://localhost:3000/my')
    expect(receipt?.text).not.toContain('#claim=')
  })

  it('is written in the language of the buyer', async () => {
    const shopper = await Shopper.create(site)
    await shopper.visitor.callOk(changeUser, { body: { language: 'dy' } })
    await shopper.buy(episode())
    const [mail] = await site.mails(shopper.email)
    expect(mail?.subject).toMatch(/^Ihr Beleg: /)
    expect(mail?.text).toMatch(/Steuer, 19\s%: 0,16\s\$/)
  })

  // At any time, at least one of these two time zones has another date than UTC.
  it.each(['Pacific/Kiritimati', 'Pacific/Niue'])(
    'has the date in the buyer’s time zone %s',
    async (timeZone) => {
      const shopper = await Shopper.create(site, site.visitor({ 'x-time-zone': timeZone }))
      const { info } = await shopper.buy(episode())
      const [mail] = await receiptsOf(shopper.email)
      const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone })
      expect(mail?.text).toContain(`Paid on: ${day.format(new Date(info?.paid_at ?? ''))}\n`)
    },
  )

  it('has the date in UTC, and says so, if the buyer’s time zone is unknown', async () => {
    const shopper = await Shopper.create(site)
    await shopper.buy(episode())
    const [mail] = await receiptsOf(shopper.email)
    expect(mail?.text).toMatch(/^Paid on: \w+ \d+, \d{4} \(UTC\)$/m)
  })

  it('is sent once, even if its payment is reported repeatedly', async () => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order(episode())
    const token = await shopper.cardToken()
    await Promise.all([1, 2, 3].map(() => shopper.tryPay(order.id, token)))
    await Promise.all([1, 2, 3].map(() => shopper.getOrder(order.id)))
    await reconcile(site.context)
    expect(await receiptsOf(shopper.email)).toHaveLength(1)
  })

  it('says whether the buyer has the right of withdrawal or waived it', async () => {
    const [keeps, gives] = [await Shopper.create(site), await Shopper.create(site)]
    await keeps.buy(episode())
    await gives.buy({ ...episode(), consent: { terms_text: 'At once', immediate_delivery: true } })
    const [revocable] = await receiptsOf(keeps.email)
    expect(revocable?.text).toContain('http://localhost:3000/my#withdraw')
    const [waived] = await receiptsOf(gives.email)
    expect(waived?.text).not.toContain('#withdraw')
    expect(waived?.text).toContain('lose your 14-day right of withdrawal')
  })
})

test('the receipt of a plan names its renewal and price, and has the cancellation link', async () => {
  const person = await Subscriber.create(site)
  const { email } = person.shopper
  const [first] = await receiptsOf(email)
  expect(first?.subject).toBe('Your receipt: plan “Weekly”, 7 days')
  expect(first?.text).toContain(': $9.99 for 7 days, tax included, then every 7 days until you cancel')
  expect(first?.text).toMatch(/http:\/\/localhost:3000\/my#cancel=[\w-]{43}\n/)
  expect(first?.text).toContain('Total (tax included): $4.99')
  await person.advanceAndRenew(7 * day)
  const [, renewed] = await receiptsOf(email)
  expect(renewed?.subject).toBe('Receipt: your plan was renewed')
  expect(renewed?.text).toContain('Total (tax included): $9.99')
  expect(renewed?.text).toMatch(/#cancel=[\w-]{43}\n/)
  expect(renewed?.text).not.toMatch(/#withdraw|lose your 14-day right/)
})

test('the receipt of a renewal says that the plan ends if the member cancelled during the charge', async () => {
  const person = await Subscriber.create(site)
  site.gatewayOverrides.chargeSavedMethod = async (charge) => {
    // The renewal job also charges the subscribers of this file's other tests.
    if (charge.payer.userId === person.userId) await person.shopper.visitor.callOk(cancelSubscription)
    return site.sandboxGateway.chargeSavedMethod(charge)
  }
  await person.advanceAndRenew(7 * day)
  delete site.gatewayOverrides.chargeSavedMethod
  const mail = (await receiptsOf(person.shopper.email)).at(-1)
  expect(mail?.subject).toBe('Receipt: your plan was renewed')
  expect(mail?.text).toContain('You won’t be charged again')
  expect(mail?.text).not.toContain('#cancel=')
})

describe('GET /api/payment/receipt', () => {
  it('names the seller, the tax to the cent, and the renewal of a plan', async () => {
    const person = await Subscriber.create(site)
    const [order] = await person.orders()
    const query = { order_id: order?.id ?? '' }
    const receipt = await person.shopper.visitor.callOk(getReceipt, { query })
    const { renews_at } = await person.membership()
    expect(receipt).toMatchObject({
      order_id: order?.id,
      email: person.shopper.email,
      seller: {
        name: 'Harbour Dramas Ltd',
        address: '1 Quay, 20457 Hamburg',
        tax_number: 'DE123456789',
      },
      amount_cents: 499,
      net_cents: 419,
      tax_cents: 80,
      tax_percent: 19,
      renewal: { at: renews_at, price_cents: 999, currency: 'USD', period_days: 7 },
    })
    await person.shopper.visitor.callOk(cancelSubscription)
    expect(await person.shopper.visitor.callOk(getReceipt, { query })).toMatchObject({ renewal: null })
  })

  it('has the tax rate of the payment date', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy(episode())
    const { operator } = site.context
    site.context.operator = { ...operator, taxRate: 700 }
    const receipt = await shopper.visitor.callOk(getReceipt, { query: { order_id: info?.id ?? '' } })
    site.context.operator = operator
    expect(receipt).toMatchObject({ net_cents: 83, tax_cents: 16, tax_percent: 19, renewal: null })
  })

  it('is available only for paid orders, and only to their owner', async () => {
    const shopper = await Shopper.create(site)
    const open = await shopper.order(episode())
    const ask = async ({ visitor }: Pick<Shopper, 'visitor'>, order_id: string) =>
      (await visitor.call(getReceipt, { query: { order_id } })).answer.code
    expect(await ask(shopper, open.id)).toBe(404)
    expect(await ask(shopper, 'ord_none')).toBe(404)
    await shopper.tryPay(open.id, await shopper.cardToken())
    expect(await ask(shopper, open.id)).toBe(200)
    expect(await ask(await Shopper.create(site), open.id)).toBe(404)
    expect(await ask({ visitor: site.visitor() }, open.id)).toBe(401)
  })
})

it.each([
  [499, 1900, 419, 80],
  [999, 810, 924, 75],
  [999, 0, 999, 0],
  [1, 1900, 1, 0],
])(
  '%i cents with a tax rate of %i hundredths of a percent are %i net and %i tax',
  (cents, rate, netCents, taxCents) => {
    expect(splitTax(cents, rate)).toEqual({ netCents, taxCents })
  },
)
