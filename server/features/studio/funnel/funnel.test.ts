import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { ResultOf } from '#contract/endpoint.ts'
import { saveHistory } from '#contract/library.ts'
import { changeUser, deleteUser, getUser } from '#contract/members.ts'
import { type listFunnel, type FunnelKind, type FunnelRow } from '#contract/studio/funnel.ts'
import type { listReportDays } from '#contract/studio/analytics.ts'
import { createLink, listLinks } from '#contract/studio/campaign-links.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { simulateDispute } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { prepareEvents, receiveEvent, writeEvents } from '#server/features/tracking/write-events.ts'
import {
  episodeIdOf,
  applySandboxWebhook,
  startBillingSite,
  paymentOf,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { aggregateFunnel } from './aggregate-funnel.ts'

const day = 86_400_000
let site: BillingSite
let owner: TestOperator
beforeAll(async () => {
  site = await startBillingSite()
  owner = await signInOperator(site, 'owner')
})
afterAll(() => site.close())

/** Runs a command on the command line, because a session of the studio would end when the clock is moved. */
async function runCommand<T>(...words: string[]): Promise<T> {
  return JSON.parse(await runStudioCommand(site.context, ['analytics', ...words, '--json'])) as T
}

type Funnel = ResultOf<typeof listFunnel>

const makeLink = async (name: string) =>
  JSON.parse(
    await runStudioCommand(site.context, ['link', 'create', site.video.id, name, '--json']),
  ) as ResultOf<typeof createLink>

/** Reads the whole funnel after aggregation, in pages of two rows. */
async function funnel(by: FunnelKind, days = 30): Promise<Pick<Funnel, 'list' | 'totals'>> {
  await aggregateFunnel(site.context.db)
  const words = ['funnel', '--by', by, '--days', String(days), '--limit', '2']
  let page = await runCommand<Funnel>(...words)
  const { list, totals } = page
  while (page.next_cursor !== null) {
    page = await runCommand<Funnel>(...words, '--cursor', page.next_cursor)
    list.push(...page.list)
  }
  return { list, totals }
}

/** Returns the totals of the ledger for the last `days` days. */
const ledger = async (days: number) =>
  (await runCommand<ResultOf<typeof listReportDays>>('days', '--days', String(days))).totals

const rowOf = (list: readonly FunnelRow[], key: string | null) => list.find((row) => row.key === key)

/** Sends an event of a visitor's browser, and waits until the event is in the funnel. */
async function track(fields: Record<string, string>, step: 'visits' | 'paywalls', by: FunnelKind = 'token') {
  const before = (await funnel(by)).totals[step]
  await site.visitor().fetch(`/api/statics.png?${new URLSearchParams(fields).toString()}`)
  await vi.waitFor(async () => expect((await funnel(by)).totals[step]).toBe(before + 1), {
    timeout: 60_000,
    interval: 50,
  })
}

async function buyBy(token?: string, number = 4) {
  const shopper = await Shopper.create(site)
  const headers: Record<string, string> = token === undefined ? {} : { 'x-referrer-token': token }
  const { id } = await shopper.order({ episode_id: episodeIdOf(site, number) }, headers)
  const { info } = await shopper.tryPay(id, await shopper.cardToken())
  if (info?.status !== 'paid') throw new Error('the order was not paid')
  return { shopper, order: info }
}

it('visits, plays, paywalls and paid orders are counted by token, and the token’s link is named', async () => {
  const link = await owner.studio.callOk(createLink, { body: { video_id: site.video.id, name: 'Poster' } })
  const { token } = link
  await track({ event: 'visit', referrer_token: token }, 'visits')
  await track({ event: 'visit', referrer_token: token }, 'visits')
  await track({ event: 'visit' }, 'visits')
  const video_id = site.video.id
  await track({ event: 'paywall', referrer_token: token, video_id, first: '1' }, 'paywalls')
  await track({ event: 'paywall', referrer_token: token, video_id }, 'paywalls', 'video')
  await track({ event: 'visit_video', referrer_token: token, video_id }, 'visits', 'video')
  const viewer = site.visitor({ 'x-referrer-token': token })
  await viewer.callOk(getUser)
  const body = { video_id, episode_id: episodeIdOf(site, 1), position_ms: 1, at: new Date().toISOString() }
  await viewer.callOk(saveHistory, { body })
  await viewer.callOk(saveHistory, { body: { ...body, position_ms: 2 } })
  await buyBy(token)
  const { list } = await funnel('token')
  expect(list.map(({ key }) => key)).toEqual([token, null])
  expect(rowOf(list, token)).toMatchObject({ name: 'Poster', visits: 2, plays: 1, paywalls: 1, paid: 1 })
  expect(rowOf(list, null)).toMatchObject({ name: null, visits: 1, plays: 0, paywalls: 0, paid: 0 })
  const videos = await funnel('video')
  expect(rowOf(videos.list, video_id)).toMatchObject({ visits: 1, plays: 1, paywalls: 2, paid: 1 })
  const { list: links } = await owner.studio.callOk(listLinks)
  expect(links).toMatchObject([{ token, visits: 2, plays: 1, paywalls: 1, paid: 1 }])
})

it('steps are counted by the kind of ad click, but without consent neither click id nor user is stored', async () => {
  await track({ event: 'visit', fbclid: 'fb.secret' }, 'visits', 'click')
  await track({ event: 'visit', fbclid: 'fb.secret', ttclid: 'tt.secret' }, 'visits', 'click')
  const viewer = site.visitor({ 'x-ttclid': 'tt.secret' })
  const { id } = await viewer.callOk(getUser)
  const body = { video_id: site.video.id, episode_id: episodeIdOf(site, 1), position_ms: 1 }
  await viewer.callOk(saveHistory, { body: { ...body, at: new Date().toISOString() } })
  const { rows } = await sql<{ text: string }>`SELECT to_jsonb(s)::text AS text FROM funnel_steps s`.execute(
    site.context.db,
  )
  expect(rows).toHaveLength(1)
  expect(rows[0]?.text).toContain('tiktok')
  expect(rows[0]?.text).not.toContain('tt.secret')
  expect(rows[0]?.text).not.toContain(id)
  const { list } = await funnel('click')
  expect(rowOf(list, 'meta')).toMatchObject({ visits: 1, plays: 0 })
  expect(rowOf(list, 'both')).toMatchObject({ visits: 1, plays: 0 })
  expect(rowOf(list, 'tiktok')).toMatchObject({ visits: 0, plays: 1 })
})

it('an event counts once if its batch is written twice, and unknown tokens are counted together', async () => {
  const before = (await funnel('token')).totals.visits
  const referrer_token = '\u{1F680}'.repeat(127) + 'xyz'
  const event = { name: 'visit', fields: { referrer_token }, fbclid: undefined, ttclid: undefined }
  const arrived = receiveEvent(event, site.context.clock.now(), '::1', null)
  await writeEvents(site.context, [arrived])
  await writeEvents(site.context, [arrived, receiveEvent(event, site.context.clock.now(), '::1', null)])
  const { list, totals } = await funnel('token')
  expect(totals.visits).toBe(before + 2)
  const visits = rowOf(list, 'unknown')?.visits ?? 0
  const other = { ...event, fields: { referrer_token: 'made-up' } }
  await writeEvents(site.context, [receiveEvent(other, site.context.clock.now(), '::1', null)])
  const { list: later } = await funnel('token')
  expect(rowOf(later, 'unknown')).toMatchObject({ visits: visits + 1 })
  expect(later.map(({ key }) => key).toSorted()).toEqual(list.map(({ key }) => key).toSorted())
})

it('an event counts once if its process does not learn that the transaction was committed', async () => {
  const visits = async () => (await funnel('token')).totals.visits
  const before = await visits()
  const event = { name: 'visit', fields: {}, fbclid: undefined, ttclid: undefined }
  const batch = [receiveEvent(event, site.context.clock.now(), '::1', null)]
  const write = await prepareEvents(site.context, batch)
  const commit = () => site.context.db.transaction().execute(write)
  await commit()
  await expect(commit()).rejects.toMatchObject({ code: '23505' })
  await writeEvents(site.context, batch)
  expect(await visits()).toBe(before + 1)
})

it('visits are counted by a member’s referral code, but not by the referral code of a guest', async () => {
  const { visitor, user } = await registerMember(site)
  await track({ event: 'visit', referrer_token: user.referral_code ?? '' }, 'visits')
  const guest = site.visitor()
  await guest.callOk(getUser)
  const { referral_code } = await guest.callOk(changeUser, { body: { display_name: 'Ada' } })
  await track({ event: 'visit', referrer_token: referral_code ?? '' }, 'visits')
  const { list } = await funnel('token')
  expect(rowOf(list, user.referral_code)).toMatchObject({ visits: 1 })
  expect(rowOf(list, referral_code)).toBeUndefined()
  await visitor.callOk(deleteUser, { body: { current_password: password } })
})

it('events of a nonexistent video are ignored', async () => {
  const before = (await funnel('video')).totals
  const query = new URLSearchParams({ event: 'visit_video', video_id: 'vid_nowhere' })
  await site.visitor().fetch(`/api/statics.png?${query.toString()}`)
  // This event follows the first event in the same buffer. Once it is counted, both events have been written.
  await track({ event: 'visit_video', video_id: site.video.id }, 'visits', 'video')
  const { list, totals } = await funnel('video')
  expect(totals.visits).toBe(before.visits + 1)
  expect(rowOf(list, 'vid_nowhere')).toBeUndefined()
})

it.each(['token', 'click', 'video'] as const)(
  'the funnel by %s equals the ledger to the cent after refunds, disputes and renewals, and its rows add up to its totals',
  async (by) => {
    const returned = await buyBy('spring', 4)
    const disputed = await buyBy('autumn', 5)
    await buyBy()
    const subscriber = await Subscriber.create(site)
    site.advanceClock(day)
    await refundOrder(site.context, returned.order.id, { amountCents: 33, reason: 'goodwill' })
    const { db, clock, secret } = site.context
    const { reference } = await paymentOf(site, disputed.order.id)
    await simulateDispute({ db, clock, secret, notify: () => {} }, reference, 'open')
    await applySandboxWebhook(site, reference)
    await returned.shopper.visitor.callOk(deleteUser, { body: {} })
    await subscriber.advanceAndRenew(7 * day)
    for (const days of [30, 5, 92, 1]) {
      const { list, totals } = await funnel(by, days)
      const booked = await ledger(days)
      expect(totals.revenue).toEqual(booked)
      for (const field of ['visits', 'plays', 'paywalls', 'paid'] as const)
        expect(list.reduce((sum, row) => sum + row[field], 0)).toBe(totals[field])
      const net = list.flatMap(({ revenue }) => revenue).reduce((sum, { net_cents }) => sum + net_cents, 0)
      expect(net).toBe(booked.reduce((sum, { net_cents }) => sum + net_cents, 0))
    }
    await simulateDispute({ db, clock, secret, notify: () => {} }, reference, 'won')
    await applySandboxWebhook(site, reference)
    const { totals } = await funnel(by)
    expect(totals.revenue).toEqual(await ledger(30))
    expect(totals.revenue[0]?.refunded_cents).toBeGreaterThan(0)
  },
)

it('renewals are credited to the token and the video of the first payment, and their revenue is separate', async () => {
  const [{ token }, other] = [await makeLink('Summer'), await makeLink('Winter')]
  const grossOf = (row: FunnelRow | undefined, view: 'revenue' | 'sale_revenue') =>
    row?.[view][0]?.gross_cents ?? 0
  const drama = async () => rowOf((await funnel('video', 92)).list, site.video.id)
  const before = await drama()
  const subscriber = await Subscriber.create(site, {
    headers: { 'x-referrer-token': token },
    episode_id: episodeIdOf(site, 4),
  })
  const firstCents = (await subscriber.orders())[0]?.amount_cents ?? 0
  // Renewals are not credited to a later link of the same user.
  await subscriber.shopper.visitor.callOk(getUser, { headers: { 'x-referrer-token': other.token } })
  await subscriber.advanceAndRenew(7 * day)
  await subscriber.advanceAndRenew(7 * day)
  const paidCents = (await subscriber.orders()).reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  const { list, totals } = await funnel('token', 92)
  const row = rowOf(list, token)
  expect(row?.paid).toBe(1)
  expect(grossOf(row, 'sale_revenue')).toBe(firstCents)
  expect(grossOf(row, 'revenue')).toBe(paidCents)
  expect(grossOf(rowOf(list, other.token), 'revenue')).toBe(0)
  const after = await drama()
  expect(grossOf(after, 'sale_revenue') - grossOf(before, 'sale_revenue')).toBe(firstCents)
  expect(grossOf(after, 'revenue') - grossOf(before, 'revenue')).toBe(paidCents)
  expect(totals.revenue).toEqual(await ledger(92))
})

it('a plan that was bought outside a video’s page is credited to the video that was watched last, if any', async () => {
  const dramaOf = async (visitor: Visitor, query: { video_id?: string } = {}) => {
    const shopper = await Shopper.create(site, visitor)
    const { id } = await shopper.order({ kind: 'plan', plan_id: (await shopper.plan(30)).id, ...query })
    const row = await site.context.db
      .selectFrom('orders')
      .select('attribution')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return row.attribution.video_id
  }
  const viewer = site.visitor()
  await viewer.callOk(getUser)
  const at = site.context.clock.now().toISOString()
  const body = { video_id: site.video.id, episode_id: episodeIdOf(site, 1), position_ms: 1, at }
  await viewer.callOk(saveHistory, { body })
  expect(await dramaOf(viewer)).toBe(site.video.id)
  expect(await dramaOf(site.visitor())).toBeUndefined()
  expect(await dramaOf(site.visitor(), { video_id: 'vid_nowhere' })).toBeUndefined()
})

it('each step counts once even if one run fails halfway and the next runs are concurrent', async () => {
  const { db } = site.context
  const before = (await funnel('token', 92)).totals
  await sql`
    INSERT INTO funnel_steps (day, step, token, click)
    SELECT now()::date, 'visit', 'crowd' || n % 7, '' FROM generate_series(1, 20000) n`.execute(db)
  await sql`ALTER TABLE funnel_counts RENAME TO away`.execute(db)
  await expect(aggregateFunnel(db)).rejects.toThrow('does not exist')
  await sql`ALTER TABLE away RENAME TO funnel_counts`.execute(db)
  await Promise.all([aggregateFunnel(db), aggregateFunnel(db), aggregateFunnel(db)])
  const after = await funnel('token', 92)
  expect(after.totals.visits).toBe(before.visits + 20_000)
})
