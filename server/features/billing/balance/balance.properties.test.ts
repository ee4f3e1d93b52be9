import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '#contract/billing.ts'
import { Refusal } from '#contract/errors.ts'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'
import { expireBonus } from '#server/features/billing/jobs/expire-bonus.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { BalanceModel } from '#server/testing/billing-model/balance-model.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { checkProperty, propertyRuns, propertyTimeoutMs } from '#server/testing/check-property.ts'
import {
  balanceOf,
  balanceSite,
  setDisputeStatus,
  expectLedgerAndBalances,
  createTopUpProduct,
  purchaseTopUp as buyTopUp,
} from '#server/testing/site/balance-site.ts'
import { episodeIdOf, playbackCode, type BillingSite } from '#server/testing/site/billing-site.ts'

const day = 86_400_000
/**
 * The maximum number of cases. Each case also checks the ledger of all earlier cases, so the run time grows
 * quadratically.
 */
const maxCases = 300
const price = 99
/** Locked episodes of the site's video. */
const episodes = [4, 5, 6] as const
/** Top-ups: price in cents, bonus in cents, and days until the bonus expires. */
const products = [
  [250, 0, 1],
  [120, 60, 3],
  [300, 150, 9],
] as const

let site: BillingSite
/** The ids of the top-ups. */
const sold: string[] = []

beforeAll(async () => {
  site = await balanceSite()
  for (const [cents, bonus, days] of products) sold.push(await createTopUpProduct(site, cents, bonus, days))
})
afterAll(() => site.close())

/** A shopper, their actions, and the model's expected state. */
interface Run {
  model: BalanceModel
  shopper: Shopper
  topUps: Order[]
  purchases: Map<number, Order>
}

type Step = (run: Run) => Promise<void>

const now = () => site.context.clock.now().getTime()

/** Requests a refund as an operator. Without an amount, requests all that can be refunded. Ignores a refusal. */
async function refund(order: Order | undefined, amountCents?: number): Promise<void> {
  if (!order) return
  const refund = { reason: 'asked for it', ...(amountCents === undefined ? {} : { amountCents }) }
  await refundOrder(site.context, order.id, refund).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
  })
}

const topUp =
  (index: number): Step =>
  async ({ model, shopper, topUps }) => {
    const [cents, bonus, days] = products[index] ?? products[0]
    // The times of top-ups must differ, because their lots are spent oldest first.
    site.advanceClock(1)
    const order = await buyTopUp(site, shopper, sold[index] ?? '')
    topUps.push(order)
    model.topUp(cents, bonus, Date.parse(order.paid_at ?? '') + days * day)
  }

/** Sends concurrent purchases; at most one is paid. */
const purchaseConcurrently =
  (episode: number, times: number): Step =>
  async ({ model, shopper, purchases }) => {
    site.advanceClock(1)
    const order = { episode_id: episodeIdOf(site, episode), gateway: 'balance' as const }
    const answers = await Promise.all(Array.from({ length: times }, () => shopper.tryOrder(order)))
    const paid = answers.flatMap(({ info }) => (info?.status === 'paid' ? [info] : []))
    expect(paid).toHaveLength(model.buy(episode, price, now()) ? 1 : 0)
    for (const one of paid) purchases.set(episode, one)
  }

const refundPurchase =
  (episode: number, cents?: number): Step =>
  async ({ model, purchases }) => {
    await refund(purchases.get(episode), cents)
    model.refundPurchase(episode, cents)
  }

const refundTopUp =
  (index: number, cents?: number): Step =>
  async ({ model, topUps }) => {
    await refund(topUps[index], cents)
    model.refundTopUp(index, cents)
  }

/** Requests a refund that the gateway refuses. It must change nothing. */
const refusedRefund =
  (index: number, cents?: number): Step =>
  async ({ topUps }) => {
    site.gatewayOverrides.refundPayment = () => Promise.reject(new GatewayRefused('no'))
    await refund(topUps[index], cents)
    Reflect.deleteProperty(site.gatewayOverrides, 'refundPayment')
  }

const openDispute =
  (index: number): Step =>
  async ({ model, topUps }) => {
    const order = topUps[index]
    const known = model.topUps[index]
    if (!order || known?.dispute !== 'none' || known.refunded === known.amount) return
    await setDisputeStatus(site, order, 'open')
    model.dispute(index)
  }

const endDispute =
  (index: number, outcome: 'won' | 'lost'): Step =>
  async ({ model, topUps }) => {
    const order = topUps[index]
    if (!order || model.topUps[index]?.dispute !== 'open') return
    await setDisputeStatus(site, order, outcome)
    model.resolveDispute(index, outcome)
  }

const wait =
  (days: number): Step =>
  async ({ model }) => {
    site.advanceClock(days * day)
    await expireBonus(site.context)
    model.expire(now())
  }

const someCents = fc.constantFrom(undefined, undefined, 10, 70, 200)
const which = fc.nat({ max: 3 })
const anEpisode = fc.constantFrom(...episodes)
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.nat({ max: products.length - 1 }).map((index) => ['topUp', topUp(index)] as const),
    },
    {
      weight: 6,
      arbitrary: fc
        .tuple(anEpisode, fc.constantFrom(1, 1, 5))
        .map(
          ([episode, times]) =>
            [`buy ${episode} ${times} times`, purchaseConcurrently(episode, times)] as const,
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(anEpisode, fc.constantFrom(undefined, 20, 60))
        .map(
          ([episode, cents]) => [`refund ${cents} of ${episode}`, refundPurchase(episode, cents)] as const,
        ),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(which, someCents)
        .map(([index, cents]) => [`refund ${cents} of top-up ${index}`, refundTopUp(index, cents)] as const),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(which, someCents)
        .map(
          ([index, cents]) =>
            [`refused refund of ${cents} of top-up ${index}`, refusedRefund(index, cents)] as const,
        ),
    },
    { weight: 2, arbitrary: which.map((index) => ['openDispute', openDispute(index)] as const) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(which, fc.constantFrom('won' as const, 'lost' as const))
        .map(
          ([index, outcome]) =>
            [`dispute of top-up ${index} ${outcome}`, endDispute(index, outcome)] as const,
        ),
    },
    { weight: 1, arbitrary: fc.constantFrom(1, 4).map((days) => [`wait ${days}`, wait(days)] as const) },
  ),
  { minLength: 3, maxLength: 14 },
)

/** Checks that the balance matches the model, and that an episode plays if and only if its purchase is paid. */
async function observe({ model, shopper }: Run): Promise<void> {
  const { paid_cents = 0, bonus_cents = 0 } = (await balanceOf(shopper)) ?? {}
  expect({ paid_cents, bonus_cents }).toEqual({
    paid_cents: model.available('paid', now()),
    bonus_cents: model.available('bonus', now()),
  })
  for (const episode of episodes) {
    const live = model.bought.get(episode)?.live ?? false
    expect(await playbackCode(site, shopper, episode)).toBe(live ? 200 : 402)
  }
}

test(
  'a balance is never negative and always matches the model, and each paid purchase unlocks its episode',
  { timeout: propertyTimeoutMs },
  () =>
    checkProperty(
      fc.asyncProperty(steps, async (sequence) => {
        const shopper = await Shopper.create(site)
        const run: Run = { model: new BalanceModel(), shopper, topUps: [], purchases: new Map() }
        for (const [, step] of sequence) {
          await step(run)
          await observe(run)
        }
        // Ends all disputes, because a later case may advance the clock to the date on which the sandbox decides them.
        for (const index of run.topUps.keys()) await endDispute(index, 'lost')(run)
        await observe(run)
        await expectLedgerAndBalances(site)
      }),
      { share: Math.min(1, maxCases / propertyRuns) },
    ),
)
