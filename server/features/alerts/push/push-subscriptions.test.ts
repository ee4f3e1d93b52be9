import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getPushAlerts, startPushAlerts, stopPushAlerts } from '#contract/alerts.ts'
import { deleteUser, exportUser, getUser, signIn } from '#contract/members.ts'
import { purgeIdleGuests } from '#server/features/members/account/purge-idle-guests.ts'
import { PushBrowser } from '#server/testing/fakes/fake-push-service.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { alertsFeature } from '#server/features/alerts/feature.ts'
import { derivePushKeys } from './vapid-keys.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { deleteUnreachableSubscriptions, loadPushAlerts } from './push-subscriptions.ts'

const time = { now: new Date('2026-03-01T12:00:00Z') }
let site: TestSite
beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => time.now } })
})
afterAll(() => site.close())

async function guest() {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  return visitor
}

const fingerprint = ({ subscription }: PushBrowser) =>
  createHash('sha256').update(subscription.endpoint).digest('base64url')
const stored = (browser: PushBrowser) =>
  site.context.db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('id', '=', fingerprint(browser))
    .executeTakeFirst()

describe('notifications in a browser', () => {
  it('can be turned on and off by guests and members', async () => {
    for (const visitor of [await guest(), (await registerMember(site)).visitor]) {
      const browser = new PushBrowser()
      const { endpoint } = browser.subscription
      const before = await visitor.callOk(getPushAlerts)
      expect(before).toEqual({ public_key: expect.stringMatching(/^[\w-]{87}$/), browsers: [] })
      const on = { ...before, browsers: [fingerprint(browser)] }
      for (let press = 0; press < 2; press++)
        expect(await visitor.callOk(startPushAlerts, { body: browser.subscription })).toEqual(on)
      expect(await visitor.callOk(getPushAlerts)).toEqual(on)
      for (let press = 0; press < 2; press++)
        expect(await visitor.callOk(stopPushAlerts, { body: { endpoint } })).toEqual({ push: false })
      expect(await visitor.callOk(getPushAlerts)).toEqual(before)
    }
  })

  it('create a row for a guest only when the guest turns them on', async () => {
    const visitor = await guest()
    const { id } = await visitor.callOk(getUser)
    const row = () => site.context.db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()
    await visitor.callOk(getPushAlerts)
    expect(await row()).toBeUndefined()
    await visitor.callOk(startPushAlerts, { body: new PushBrowser().subscription })
    expect(await row()).toEqual({ id })
  })

  it('belong to the last user who turned them on in that browser', async () => {
    const browser = new PushBrowser()
    const [first, second] = [await guest(), await guest()]
    for (const visitor of [first, second])
      await visitor.callOk(startPushAlerts, { body: browser.subscription })
    expect((await first.callOk(getPushAlerts)).browsers).toEqual([])
    expect((await second.callOk(getPushAlerts)).browsers).toEqual([fingerprint(browser)])
  })

  it('are on in at most ten browsers of a user: those in which they were turned on last', async () => {
    const { visitor } = await registerMember(site)
    const browsers = Array.from({ length: 12 }, () => new PushBrowser())
    for (const { subscription } of browsers) {
      time.now = new Date(time.now.getTime() + 1000)
      await visitor.callOk(startPushAlerts, { body: subscription })
    }
    const { browsers: on } = await visitor.callOk(getPushAlerts)
    expect(on).toEqual(browsers.slice(2).toReversed().map(fingerprint))
  })

  const { subscription } = new PushBrowser()
  it.each([
    ['an endpoint without https', { endpoint: 'http://push.example.com/x' }],
    ['an endpoint in a private network', { endpoint: 'https://10.0.0.1/x' }],
    ['an endpoint on this machine', { endpoint: 'https://localhost/x' }],
    ['an endpoint at another port', { endpoint: 'https://push.example.com:6379/x' }],
    ['an endpoint that is too long', { endpoint: `https://push.example.com/${'x'.repeat(1024)}` }],
    ['a key that is too short', { p256dh: subscription.p256dh.slice(1) }],
    ['a key that is not on the curve', { p256dh: `B${'A'.repeat(86)}` }],
    ['a secret that is too short', { auth: subscription.auth.slice(1) }],
  ])('are not turned on with %s', async (_, wrong) => {
    const visitor = await guest()
    const { answer, status } = await visitor.call(startPushAlerts, { body: { ...subscription, ...wrong } })
    expect([status, answer.code]).toEqual([400, 400])
    expect((await visitor.callOk(getPushAlerts)).browsers).toEqual([])
  })
})

describe('the stored subscription of a browser', () => {
  it('belongs to the member after the guest signs in', async () => {
    const { visitor: other, email, user } = await registerMember(site)
    const browser = new PushBrowser()
    const visitor = await guest()
    await visitor.callOk(startPushAlerts, { body: browser.subscription })
    await visitor.callOk(signIn, { body: { email, password } })
    expect(await stored(browser)).toMatchObject({ user_id: user.id })
    expect((await other.callOk(getPushAlerts)).browsers).toEqual([fingerprint(browser)])
  })

  it('is in the data export, and is deleted with the account', async () => {
    const { visitor } = await registerMember(site)
    const browser = new PushBrowser()
    await visitor.callOk(startPushAlerts, { body: browser.subscription })
    const exported = await visitor.callOk(exportUser, { body: { current_password: password } })
    expect(exported).toMatchObject({
      new_episode_notifications: [{ endpoint: browser.subscription.endpoint }],
    })
    await visitor.callOk(deleteUser, { body: { current_password: password } })
    expect(await stored(browser)).toBeUndefined()
  })

  it('is deleted with a guest who has been inactive for 400 days', async () => {
    const browser = new PushBrowser()
    await (await guest()).callOk(startPushAlerts, { body: browser.subscription })
    time.now = new Date(time.now.getTime() + 401 * 86_400_000)
    await purgeIdleGuests(site.context, new AbortController().signal)
    expect(await stored(browser)).toBeUndefined()
  })
})

describe('after APP_SECRET has changed', () => {
  const other = () => ({
    ...site.context,
    ...alertsFeature({ secret: 'another secret of thirty-two characters' }).parts,
  })
  const advanceDays = (days: number) => {
    time.now = new Date(time.now.getTime() + days * 86_400_000)
  }

  it('the keys differ from the former keys, and every process derives the same keys after every start', () => {
    expect(derivePushKeys(site.context.secret)).toEqual(site.context.pushKeys)
    expect(other().pushKeys).toEqual(other().pushKeys)
    expect(other().pushKeys).not.toEqual(site.context.pushKeys)
  })

  it('subscriptions remain, and work again once the former secret is restored', async () => {
    const browser = new PushBrowser()
    const visitor = await guest()
    await visitor.callOk(startPushAlerts, { body: browser.subscription })
    const { id } = await visitor.callOk(getUser)
    const { db } = site.context
    expect((await loadPushAlerts(db, other().pushKeys, id)).browsers).toEqual([])
    for (let days = 0; days < 29; days += 28) {
      advanceDays(days)
      await deleteUnreachableSubscriptions(other())
    }
    expect(await stored(browser)).toMatchObject({ key_outdated_since: expect.any(Date) })
    await deleteUnreachableSubscriptions(site.context)
    expect(await stored(browser)).toMatchObject({ key_outdated_since: null })
    expect((await visitor.callOk(getPushAlerts)).browsers).toEqual([fingerprint(browser)])
  })

  it('subscriptions are deleted if the former secret is not restored for 30 days', async () => {
    const browser = new PushBrowser()
    await (await guest()).callOk(startPushAlerts, { body: browser.subscription })
    await deleteUnreachableSubscriptions(other())
    advanceDays(31)
    await deleteUnreachableSubscriptions(site.context)
    expect(await stored(browser)).toBeDefined()
    await deleteUnreachableSubscriptions(other())
    advanceDays(31)
    await deleteUnreachableSubscriptions(other())
    expect(await stored(browser)).toBeUndefined()
  })

  it('subscriptions are marked and deleted in batches until none is left', async () => {
    const browsers = [new PushBrowser(), new PushBrowser(), new PushBrowser()]
    for (const { subscription } of browsers)
      await (await guest()).callOk(startPushAlerts, { body: subscription })
    const all = async () => await site.context.db.selectFrom('push_subscriptions').selectAll().execute()
    const count = (await all()).length
    expect(count).toBeGreaterThanOrEqual(3)
    const purge = () =>
      queryPlans(site.context.database, (db) =>
        deleteUnreachableSubscriptions({ ...other(), db }, { limit: 2 }),
      )
    // A batch that is not full ends the loop.
    const batches = Math.floor(count / 2) + 1
    expect(await purge()).toHaveLength(1 + batches + 1)
    expect((await all()).filter(({ key_outdated_since }) => key_outdated_since === null)).toEqual([])
    advanceDays(31)
    expect(await purge()).toHaveLength(1 + 1 + batches)
    expect(await all()).toEqual([])
  })
})
