import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
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

async function subscriber(): Promise<Shopper> {
  const shopper = await Shopper.create(site)
  await shopper.buy({ kind: 'plan', plan_id: (await shopper.plan(7)).id })
  return shopper
}

const membership = async ({ visitor }: Shopper) => (await visitor.callOk(getUser)).membership

async function canPlay({ visitor }: Shopper): Promise<boolean> {
  const query = { episode_id: site.video.episodes[4]?.id ?? '' }
  return (await visitor.call(getEpisode, { query })).answer.code === 200
}

test('a cancelled subscription gives access until its paid period ends', async () => {
  const shopper = await subscriber()
  const { renews_at } = await membership(shopper)
  const cancelled = await shopper.visitor.callOk(cancelSubscription)
  expect(cancelled).toMatchObject({
    state: 'subscribed',
    cancel_at_period_end: true,
    renews_at: null,
    ends_at: renews_at,
  })
  expect(await membership(shopper)).toEqual(cancelled)
  expect(await canPlay(shopper)).toBe(true)
  site.advanceClock(8 * day)
  await renewDueSubscriptions(site.context)
  expect(await membership(shopper)).toMatchObject({ state: 'free' })
  expect(await canPlay(shopper)).toBe(false)
})

test('a cancelled subscription can be resumed only until its period ends', async () => {
  const shopper = await subscriber()
  const before = await membership(shopper)
  await shopper.visitor.callOk(cancelSubscription)
  expect(await shopper.visitor.callOk(resumeSubscription)).toEqual(before)
  expect(await membership(shopper)).toEqual(before)
  await shopper.visitor.callOk(cancelSubscription)
  site.advanceClock(8 * day)
  expect((await shopper.visitor.call(resumeSubscription)).answer).toMatchObject({ code: 409 })
})

test.each([cancelSubscription, resumeSubscription])(
  '$path has one result for 20 concurrent requests and a repeated request',
  async (call) => {
    const shopper = await subscriber()
    const answers = await Promise.all(Array.from({ length: 20 }, () => shopper.visitor.callOk(call)))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(await shopper.visitor.callOk(call)).toEqual(answers[0])
  },
)

test('after five resumptions a day, the next is refused; few mails are sent and few audit events are stored', async () => {
  const shopper = await subscriber()
  const { visitor, email } = shopper
  const { id } = await visitor.callOk(getUser)
  const monthly = { kind: 'plan', plan_id: (await shopper.plan(30)).id } as const
  const answers = []
  for (let round = 0; round < 10; round++) {
    expect((await visitor.call(cancelSubscription)).answer.code).toBe(200)
    // A change of plan also resumes a cancelled subscription.
    const back =
      round % 2 === 0 ? (await visitor.call(resumeSubscription)).answer : await shopper.tryOrder(monthly)
    answers.push(back)
  }
  expect(answers.map(({ code }) => code)).toEqual([...Array(5).fill(200), ...Array(5).fill(500)])
  expect(answers.at(-1)?.message).toMatch(/several times today. Please try again tomorrow/)
  expect((await membership(shopper)).cancel_at_period_end).toBe(true)
  const subjects = (await site.mails(email)).map(({ subject }) => subject)
  expect(subjects.filter((subject) => !subject.startsWith('Your receipt'))).toHaveLength(6)
  const { rows } = await site.context.database.pool.query(
    "SELECT FROM audit_events WHERE user_id = $1 AND event LIKE 'subscription_%'",
    [id],
  )
  expect(rows).toHaveLength(9)
  site.advanceClock(day)
  expect((await visitor.call(resumeSubscription)).answer.code).toBe(200)
})

test('a repeated key returns its first response, and does not undo a later change', async () => {
  const shopper = await subscriber()
  const headers = { 'idempotency-key': 'cancel once' }
  const first = await shopper.visitor.callOk(cancelSubscription, { headers })
  const resumed = await shopper.visitor.callOk(resumeSubscription)
  expect(await shopper.visitor.callOk(cancelSubscription, { headers })).toEqual(first)
  expect(await membership(shopper)).toEqual(resumed)
})

test.each([cancelSubscription, resumeSubscription])(
  '$path is refused without a subscription',
  async (call) => {
    const shopper = await Shopper.create(site)
    expect((await shopper.visitor.call(call)).answer).toMatchObject({
      code: 409,
      message: 'You don’t have a subscription.',
    })
    expect((await site.visitor().call(call)).answer).toMatchObject({ code: 401 })
  },
)

test("a user cannot cancel another user's subscription", async () => {
  const shopper = await subscriber()
  const other = await Shopper.create(site)
  await other.visitor.call(cancelSubscription)
  expect(await membership(shopper)).toMatchObject({ cancel_at_period_end: false })
})
