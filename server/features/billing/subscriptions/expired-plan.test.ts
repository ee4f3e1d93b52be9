import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelSubscription } from '#contract/billing.ts'
import { getEpisode } from '#contract/media.ts'
import { getUser } from '#contract/members.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

const day = 86_400_000

async function playCode(shopper: Shopper) {
  const query = { episode_id: site.video.episodes[4]?.id ?? '' }
  return (await shopper.visitor.call(getEpisode, { query })).answer.code
}

async function subscriptions(shopper: Shopper) {
  const { id } = await shopper.visitor.callOk(getUser)
  const rows = await site.context.db
    .selectFrom('subscriptions')
    .select('status')
    .where('user_id', '=', id)
    .orderBy('created_at')
    .execute()
  return rows.map(({ status }) => status)
}

test.each(['after the renewal job has run', 'before the renewal job has run'])(
  'a cancelled plan gives no access after its period, and can be bought again, %s',
  async (when) => {
    const shopper = await Shopper.create(site)
    const { id: plan_id } = await shopper.plan(7)
    await shopper.buy({ kind: 'plan', plan_id })
    expect(await playCode(shopper)).toBe(200)
    await shopper.visitor.callOk(cancelSubscription)
    await renewDueSubscriptions(site.context)
    expect(await subscriptions(shopper)).toEqual(['active'])
    site.advanceClock(8 * day)
    if (when === 'after the renewal job has run') {
      await renewDueSubscriptions(site.context)
      expect(await subscriptions(shopper)).toEqual(['ended'])
    }
    expect(await playCode(shopper)).toBe(402)
    expect((await shopper.visitor.callOk(getUser)).membership).toMatchObject({ state: 'free' })
    expect(await shopper.buy({ kind: 'plan', plan_id })).toMatchObject({
      code: 200,
      info: { status: 'paid', amount_cents: 999 },
    })
    expect(await playCode(shopper)).toBe(200)
    expect(await subscriptions(shopper)).toEqual(['ended', 'active'])
  },
)
