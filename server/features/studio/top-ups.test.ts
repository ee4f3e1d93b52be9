import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getBalance, refundBalance } from '#contract/balance.ts'
import { getEpisode } from '#contract/media.ts'
import { showExperiment, stopExperiment } from '#contract/studio/experiments.ts'
import { listFunnel } from '#contract/studio/funnel.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { getOrder, refundOrder } from '#contract/studio/orders.ts'
import { addTopUp, changeTopUp, listTopUps, archiveTopUp, showBalances } from '#contract/studio/top-ups.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { aggregateFunnel } from '#server/features/studio/funnel/aggregate-funnel.ts'
import { createGuestInVariant, createRunningExperiment } from '#server/testing/builders/experiment.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import {
  balanceSite,
  expectLedgerAndBalances,
  purchaseTopUp,
  unlockFromBalance,
} from '#server/testing/site/balance-site.ts'
import { episodeIdOf, type BillingSite } from '#server/testing/site/billing-site.ts'

const day = 86_400_000
let site: BillingSite
let owner: TestOperator

beforeAll(async () => {
  site = await balanceSite()
})
beforeEach(async () => {
  owner = await signInOperator(site, 'owner')
})
afterAll(() => site.close())

const offered = async () => (await (await Shopper.create(site)).visitor.callOk(getBalance)).top_ups

describe('the top-ups', () => {
  it('are initially three in US dollars', async () => {
    const { list } = await owner.studio.callOk(listTopUps)
    expect(list.map(({ price_cents, bonus_cents }) => [price_cents, bonus_cents])).toEqual([
      [500, 0],
      [1000, 100],
      [2000, 300],
    ])
  })

  it('are added, changed and archived, each with an audit entry', async () => {
    const body = {
      price_cents: 5000,
      bonus_cents: 1000,
      bonus_days: 90,
      currency: 'EUR',
      position: 3,
    } as const
    const added = await owner.studio.callOk(addTopUp, { body })
    expect((await offered()).at(-1)).toMatchObject({ id: added.id, price_cents: 5000, bonus_days: 90 })
    const change = { id: added.id, bonus_cents: 500, bonus_days: null }
    expect(await owner.studio.callOk(changeTopUp, { body: change })).toMatchObject({ bonus_cents: 500 })
    expect((await offered()).at(-1)).toEqual({
      id: added.id,
      price_cents: 5000,
      bonus_cents: 500,
      currency: 'EUR',
    })
    await owner.studio.callOk(archiveTopUp, { body: { id: added.id } })
    expect((await offered()).map(({ id }) => id)).not.toContain(added.id)
    const refused = [
      await owner.studio.call(archiveTopUp, { body: { id: added.id } }),
      await owner.studio.call(changeTopUp, { body: { id: added.id, position: 4 } }),
      await owner.studio.call(archiveTopUp, { body: { id: 'top_none' } }),
    ]
    expect(refused.map(({ answer }) => answer.code)).toEqual([409, 409, 404])
    const { list } = await owner.studio.callOk(listAuditEvents, { query: { subject: added.id } })
    expect(list.map(({ event }) => event)).toEqual([
      'studio top-up archive',
      'studio top-up change',
      'studio top-up add',
    ])
  })

  it('change only for later orders, and an earlier order keeps the bonus that was shown', async () => {
    const added = await owner.studio.callOk(addTopUp, {
      body: { price_cents: 700, bonus_cents: 70, currency: 'USD' },
    })
    const shopper = await Shopper.create(site)
    const order = await shopper.order({ kind: 'top_up', top_up_id: added.id })
    await owner.studio.callOk(changeTopUp, { body: { id: added.id, bonus_cents: 0 } })
    await shopper.tryPay(order.id, await shopper.cardToken())
    const { balances } = await shopper.visitor.callOk(getBalance)
    expect(balances).toMatchObject([{ paid_cents: 700, bonus_cents: 70 }])
  })

  it('can be changed only by owners', async () => {
    const analyst = await signInOperator(site, 'analyst')
    const body = { price_cents: 5000, currency: 'USD' } as const
    expect((await analyst.studio.call(addTopUp, { body })).answer).toMatchObject({ code: 403 })
    expect((await analyst.studio.callOk(listTopUps)).list.length).toBeGreaterThan(2)
  })
})

describe('the totals of balances', () => {
  it('reconcile to the cent: the liability is the topped-up amount minus the recognised, the returned and the expired amounts', async () => {
    const shopper = await Shopper.create(site)
    const unlockEpisode = (number: number) =>
      shopper.tryOrder({ episode_id: episodeIdOf(site, number), gateway: 'balance' })
    await shopper.buy({ kind: 'top_up', top_up_id: 'top_10' })
    await unlockEpisode(4)
    await unlockEpisode(5)
    site.advanceClock(day)
    owner = await signInOperator(site, 'owner')
    const { info: third } = await unlockEpisode(6)
    await owner.studio.callOk(refundOrder, {
      body: { id: third?.id ?? '', amount_cents: 40, reason: 'sorry' },
    })
    await shopper.buy({ kind: 'top_up', top_up_id: 'top_5' })
    await shopper.visitor.callOk(refundBalance, { body: {} })
    await shopper.buy({ kind: 'top_up', top_up_id: 'top_20' })

    const { liability, days } = await owner.studio.callOk(showBalances, { query: { days: 3 } })
    expect(days).toHaveLength(2)
    expect(days[1]).toMatchObject({ recognised_cents: 98, discount_cents: 100 })
    // The bonus of the refunded top-up was spent, so it is deducted.
    expect(days[0]).toMatchObject({
      recognised_cents: 59 + 100,
      discount_cents: -100,
      top_ups_returned_cents: 1000 - 98 - 59 - 100 + 500,
    })
    const sum = (
      field: 'topped_up_cents' | 'recognised_cents' | 'top_ups_returned_cents' | 'breakage_cents',
    ) => days.reduce((total, each) => total + each[field], 0)
    const owed = liability.reduce((total, { paid_cents }) => total + paid_cents, 0)
    expect(
      sum('topped_up_cents') -
        sum('recognised_cents') -
        sum('top_ups_returned_cents') -
        sum('breakage_cents'),
    ).toBe(owed)
    await expectLedgerAndBalances(site)
  })

  it('are shown on the command line too', async () => {
    expect(await runStudioCommand(site.context, ['balance', 'show'])).toBeDefined()
  })
})

describe('a purchase that is paid only with bonus money', () => {
  const unlockWithBonus = async (shopper: Shopper) => {
    await purchaseTopUp(site, shopper, [500, 200])
    const order = await unlockFromBalance(site, shopper)
    expect(order.discount_cents).toBe(99)
    return order
  }

  it('is a paid order without revenue in the funnel', async () => {
    const videoFigures = async () => {
      await aggregateFunnel(site.context.db)
      const { list } = await owner.studio.callOk(listFunnel, { query: { by: 'video' } })
      const row = list.find(({ key }) => key === site.video.id)
      return { paid: row?.paid ?? 0, gross: row?.revenue[0]?.gross_cents ?? 0 }
    }
    const before = await videoFigures()
    const { id } = await unlockWithBonus(await Shopper.create(site))
    const after = { ...before, paid: before.paid + 1 }
    expect(await videoFigures()).toEqual(after)
    await owner.studio.callOk(refundOrder, { body: { id } })
    expect(await videoFigures()).toEqual(after)
  })

  it('counts its viewer as a buyer without revenue in an experiment', async () => {
    const { id: target } = site.video
    const variants = [{ share: 50 }, { share: 50, free_episodes: 2 }]
    const experiment = await createRunningExperiment(owner.studio, {
      kind: 'free_episodes',
      target,
      variants,
    })
    site.advanceClock(1000)
    const shopper = await Shopper.create(site, await createGuestInVariant(site, experiment, 1))
    await shopper.visitor.call(getEpisode, { query: { episode_id: episodeIdOf(site, 3) } })
    await unlockWithBonus(shopper)
    const { variants: results } = await owner.studio.callOk(showExperiment, {
      query: { id: experiment.id },
    })
    expect(results[1]).toMatchObject({ exposed: 1, buyers: 1, revenue: [{ net_cents: 0 }] })
    await owner.studio.callOk(stopExperiment, { body: { id: experiment.id } })
  })
})

describe('an order of a top-up', () => {
  it('shows its unspent part, and a refund without an amount returns this part', async () => {
    const shopper = await Shopper.create(site)
    const { info: order } = await shopper.buy({ kind: 'top_up', top_up_id: 'top_5' })
    await shopper.tryOrder({ episode_id: episodeIdOf(site), gateway: 'balance' })
    const id = order?.id ?? ''
    expect(await owner.studio.callOk(getOrder, { query: { id } })).toMatchObject({
      refundable_cents: 500,
      unspent_cents: 401,
    })
    const whole = await owner.studio.call(refundOrder, { body: { id, amount_cents: 500 } })
    expect(whole.answer).toMatchObject({ code: 500, info: { field: 'reason' } })
    await owner.studio.callOk(refundOrder, { body: { id } })
    expect(await shopper.getOrder(id)).toMatchObject({ refunded_cents: 401 })
  })
})
