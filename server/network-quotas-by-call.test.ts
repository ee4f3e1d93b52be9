import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPushAlerts } from '#contract/alerts.ts'
import { createOrder, listPlans, unlockEpisode } from '#contract/billing.ts'
import { cancelByLink } from '#contract/consumer-rights.ts'
import { addFavorite, saveHistory } from '#contract/library.ts'
import { changeUser, requestPasswordReset, getUser, signIn } from '#contract/members.ts'
import { createRunningExperiment } from '#server/testing/builders/experiment.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { PushBrowser } from '#server/testing/fakes/fake-push-service.ts'
import { startBillingSite, episodeIdOf, type BillingSite } from '#server/testing/site/billing-site.ts'
import { registerMember } from '#server/testing/builders/register-member.ts'
import { Visitor } from '#server/testing/site/visitor.ts'

/** Limits so small that a few requests of each kind exceed them. */
const settings = {
  RATE_LIMIT_GUESTS_PER_IP: '12/h',
  RATE_LIMIT_ORDERS_PER_IP: '3/h',
  RATE_LIMIT_CONSENT_TEXT_BYTES_PER_IP: '100/h',
  RATE_LIMIT_IDEMPOTENCY_KEYS_PER_IP: '2/h',
  RATE_LIMIT_MAIL_LINKS_PER_IP: '2/h',
  RATE_LIMIT_AUDIT_EVENTS_PER_IP: '3/h',
  RATE_LIMIT_EVENT_BYTES_PER_IP: '1000/h',
  RATE_LIMIT_LIBRARY_PER_IP: '3/h',
  RATE_LIMIT_EXPOSURES_PER_IP: '2/h',
  RATE_LIMIT_PUSH_SUBSCRIPTIONS_PER_IP: '2/h',
}

let site: BillingSite
beforeAll(async () => {
  site = await startBillingSite(settings)
})
afterAll(() => site.close())

/** Creates a new visitor. All visitors call the same process from the same network. */
async function createGuest({ directUrl } = site): Promise<Visitor> {
  const visitor = new Visitor(directUrl)
  await visitor.callOk(getUser)
  return visitor
}

const countOf = async (table: string, where = 'true') => {
  const { rows } = await site.context.database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE ${where}`,
  )
  return rows[0]?.count ?? 0
}

const expectRefused = ({ status, headers }: { status: number; headers: Headers }) => {
  expect(status).toBe(429)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
}

const orderParams = () =>
  ({ kind: 'episode', episode_id: episodeIdOf(site), gateway: 'sandbox', email: 'ada@example.com' }) as const
const consentTo = (termsText?: string) =>
  termsText === undefined ? {} : { consent: { terms_text: termsText } }

test('limits the orders of a network, and the bytes of its new consent texts', async () => {
  const visitor = await createGuest()
  const order = (termsText?: string) =>
    visitor.call(createOrder, { body: { ...orderParams(), ...consentTo(termsText) } })
  expect((await order('x'.repeat(60))).answer.code).toBe(200)
  // A new text is refused; a stored text is accepted until the limit of orders.
  expectRefused(await order('y'.repeat(60)))
  expect((await order('x'.repeat(60))).answer.code).toBe(200)
  expectRefused(await order())
  expect([await countOf('orders'), await countOf('accepted_terms')]).toEqual([2, 1])
})

test('counts the idempotency keys of guests per network, and those of members per member', async () => {
  const body = { episode_id: episodeIdOf(site) }
  const unlock = (visitor: Visitor, key: string) =>
    visitor.call(unlockEpisode, { body, headers: { 'idempotency-key': key } })
  for (const key of ['a', 'b']) expect((await unlock(await createGuest(), key)).answer.code).toBe(402)
  expectRefused(await unlock(await createGuest(), 'c'))
  const { visitor } = await registerMember(site, new Visitor(site.directUrl))
  expect((await unlock(visitor, 'd')).answer.code).toBe(402)
})

test("limits a network's requests for mails with links, over all e-mail addresses together", async () => {
  const ask = (email: string) => new Visitor(site.directUrl).call(requestPasswordReset, { body: { email } })
  expect((await ask('one@example.com')).answer.code).toBe(200)
  const byLink = await (await createGuest()).call(cancelByLink, { body: { email: 'two@example.com' } })
  expect(byLink.answer.code).toBe(200)
  expectRefused(await ask('three@example.com'))
  expect(await countOf('password_reset_requests', "email = 'three@example.com'")).toBe(0)
})

test('limits the audit events that unauthenticated clients can cause', async () => {
  const visitor = await createGuest()
  for (const marketing of [true, false, true])
    await visitor.callOk(changeUser, { body: { consent: { marketing } } })
  const after = await visitor.callOk(changeUser, { body: { consent: { marketing: false } } })
  expect(after.consent).toEqual({ marketing: false })
  const wrong = { email: 'nobody@example.com', password: 'not the password' }
  expect((await visitor.call(signIn, { body: wrong })).answer.code).toBe(500)
  expect(await countOf('audit_events', "event IN ('consent_changed', 'sign_in_failed')")).toBe(3)
})

test("limits the bytes of a network's events", async () => {
  for (let sent = 0; sent < 10; sent++)
    await fetch(`${site.directUrl}/api/statics.png?event=much&text=${'x'.repeat(200)}`)
  await site.context.events.stop()
  expect([1, 2, 3]).toContain(await countOf('events'))
})

test('does not record events while the disk is nearly full', async () => {
  const full = await startBillingSite({ DISK_MIN_FREE_MB: '1000000000' })
  onTestFinished(() => full.close())
  await full.visitor().fetch('/api/statics.png?event=visit')
  await full.context.events.stop()
  const { rows } = await full.context.database.pool.query('SELECT FROM events')
  expect(rows).toHaveLength(0)
})

test('limits how many guests a network adds to an experiment, but serves further guests too', async () => {
  const { studio } = await signInOperator(site, 'owner')
  const variants = [{ share: 50 }, { share: 50, layout: 'card' as const, accent: '#00ff00' }]
  await createRunningExperiment(studio, { kind: 'pay_theme', variants })
  const listPlansAsGuest = async () => {
    expect((await (await createGuest()).call(listPlans)).answer.code).toBe(200)
    return countOf('experiment_exposures')
  }
  // A process notices within a second that an experiment has started.
  await expect.poll(listPlansAsGuest).toBe(2)
  for (let more = 0; more < 2; more++) expect(await listPlansAsGuest()).toBe(2)
})

test('limits the stored plays and favorites of a network', async () => {
  const visitor = await createGuest()
  const { id: video_id, episodes } = site.video
  expect((await visitor.call(addFavorite, { body: { video_id } })).status).toBe(200)
  const save = (episode_id = '') => {
    const at = new Date().toISOString()
    return visitor.call(saveHistory, { body: { video_id, episode_id, position_ms: 1000, at } })
  }
  const [first, second, third] = episodes.map((episode) => episode.id)
  expect((await save(first)).status).toBe(200)
  expect((await save(first)).status).toBe(200)
  expect((await save(second)).status).toBe(200)
  expectRefused(await save(third))
  expect((await save(second)).status).toBe(200)
  expectRefused(await visitor.call(addFavorite, { body: { video_id } }))
})

test('limits the rows that a network adds by removing unwatched videos', async () => {
  const unused = await startBillingSite(settings)
  onTestFinished(() => unused.close())
  const visitor = await createGuest(unused)
  await visitor.callOk(changeUser, { body: { display_name: 'Ada' } })
  const remove = async (count: number) => {
    const videos = await Promise.all(
      Array.from({ length: count }, () => buildVideo(unused.context, { episodes: 1, freeEpisodes: 1 })),
    )
    return visitor.call(saveHistory, { body: { remove: videos.map(({ id }) => id) } })
  }
  const countTombstones = async () =>
    (await unused.context.db.selectFrom('watch_history').select('removed').execute()).length
  expect((await remove(2)).status).toBe(200)
  expectRefused(await remove(2))
  expect(await countTombstones()).toBe(2)
  expect((await remove(1)).status).toBe(200)
  expect(await countTombstones()).toBe(3)
})

test('limits the browsers in which a network turns notifications on', async () => {
  const visitor = await createGuest()
  const turnOn = ({ subscription }: PushBrowser) => visitor.call(startPushAlerts, { body: subscription })
  const first = new PushBrowser()
  for (const browser of [first, new PushBrowser(), first]) expect((await turnOn(browser)).status).toBe(200)
  expectRefused(await turnOn(new PushBrowser()))
  expect(await countOf('push_subscriptions')).toBe(2)
})

test('limits how many new guests of a network the site stores', async () => {
  const storeGuest = async () => (await createGuest()).call(changeUser, { body: { display_name: 'Ada' } })
  let last = await storeGuest()
  for (let count = 0; count < 12 && last.status === 200; count++) last = await storeGuest()
  expectRefused(last)
  expect(await countOf('users', 'member_since IS NULL')).toBeLessThanOrEqual(12)
})
