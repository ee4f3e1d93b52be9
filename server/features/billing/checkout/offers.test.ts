import { Value } from 'typebox/value'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Offer } from '#contract/billing.ts'
import { getEpisode } from '#contract/media.ts'
import {
  episodeIdOf,
  expectLedgerBalanced,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterEach(() => expectLedgerBalanced(site))
afterAll(() => site.close())

/** Makes the gateway refuse the amounts for which `cents` returns true, until the end of the test. */
const refuse = (cents: (amount: number) => boolean) => {
  site.gatewayOverrides.acceptsAmount = (amount) => !cents(amount)
}

/** Returns the offer in the 402 answer for a locked episode. */
async function offerOf(shopper: Shopper): Promise<Offer> {
  const { answer } = await shopper.visitor.call(getEpisode, { query: { episode_id: episodeIdOf(site) } })
  expect(answer.code).toBe(402)
  return Value.Parse(Offer, answer.info)
}

test('the offer of a gateway names the products whose prices the gateway does not accept', async () => {
  const shopper = await Shopper.create(site)
  const { gateways } = await offerOf(shopper)
  expect(gateways.map(({ id }) => id)).toContain('sandbox')
  expect(gateways.filter(({ unsupported_products }) => unsupported_products)).toEqual([])
  refuse((cents) => cents === 99)
  const named = (await offerOf(shopper)).gateways
  expect(named.map(({ unsupported_products }) => unsupported_products)).toEqual(
    gateways.map(() => ['episode']),
  )
})

test('a gateway is not offered if it accepts none of the prices', async () => {
  const shopper = await Shopper.create(site)
  refuse(() => true)
  expect(await offerOf(shopper)).toMatchObject({ plans: [], gateways: [] })
})

test('a plan is offered only if one gateway accepts both its first price and its renewal price', async () => {
  const shopper = await Shopper.create(site)
  const { plans } = await offerOf(shopper)
  const introduced = plans.find(({ intro_price_cents }) => intro_price_cents !== undefined)
  expect(introduced).toBeDefined()
  for (const price of [introduced?.intro_price_cents, introduced?.price_cents]) {
    refuse((cents) => cents === price)
    expect((await offerOf(shopper)).plans).not.toContainEqual(introduced)
  }
})
