import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeAlerts, getAlerts, stopAlerts } from '#contract/alerts.ts'
import { addFavorite, removeFavorites } from '#contract/library.ts'
import { changeUser, deleteUser } from '#contract/members.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { releaseEpisodes } from '#server/testing/builders/release-episodes.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Clock } from '#server/platform/clock.ts'
import { sendMails } from '#server/platform/mail/send-mails.ts'
import { queryPlans, type Plan } from '#server/testing/database/query-plans.ts'
import { sendAlerts } from './send-alerts.ts'

const time = {
  now: new Date('2026-03-01T12:00:00Z'),
  advance(minutes: number) {
    time.now = new Date(time.now.getTime() + minutes * 60_000)
  },
}
const clock: Clock = { now: () => time.now }
let site: TestSite
let video: BuiltVideo

beforeAll(async () => {
  site = await startTestSite({ clock })
})
afterAll(() => site.close())
beforeEach(async () => {
  time.advance(60)
  await alertNow()
  video = await buildVideo(site.context, { title: 'Salt', episodes: 6, ready: 2 })
})

const release = (...numbers: number[]) => releaseEpisodes(site.context, video, ...numbers)

/** Runs the job until the release is complete and all alerts are queued. */
async function alertNow(): Promise<void> {
  await sendAlerts(site.context)
  time.advance(11)
  await sendAlerts(site.context)
}

/** Creates a member with a confirmed address, the drama among their favorites, and mail alerts on. */
async function createSubscriber({ mail = true, isConfirmed = true } = {}) {
  const { visitor, email, user } = await registerMember(site)
  if (isConfirmed)
    await site.context.db
      .updateTable('users')
      .set({ email_verified_at: time.now })
      .where('id', '=', user.id)
      .execute()
  await visitor.callOk(addFavorite, { body: { video_id: video.id } })
  if (mail) await visitor.callOk(changeAlerts, { body: { mail } })
  const alerts = async () => (await site.mails(email)).filter(({ text }) => text.includes('Salt'))
  return { visitor, email, user, alerts }
}

describe('new episodes of a favorite', () => {
  it('are announced in one mail that links to the first episode and to the unsubscribe page', async () => {
    const { alerts } = await createSubscriber()
    await release(3, 4)
    await sendAlerts(site.context)
    time.advance(5)
    await release(5)
    await alertNow()
    const [mail, ...others] = await alerts()
    expect(others).toEqual([])
    expect(mail?.subject).toBe('3 new episodes of Salt')
    expect(mail?.link).toBe(`http://localhost:3000/videos/${video.id}?episode=3`)
    expect(mail?.text).toMatch(/Turn them off: http:\/\/localhost:3000\/my#alerts=/)
    expect(mail?.html).toMatch(/<a href="http:\/\/localhost:3000\/my#alerts=[^"]+">/)
    await release(6)
    await alertNow()
    expect((await alerts()).map(({ subject }) => subject)).toEqual([
      '3 new episodes of Salt',
      'A new episode of Salt',
    ])
  })

  it('are sent after the mails that users wait for', async () => {
    const { email } = await createSubscriber()
    await release(3)
    await alertNow()
    const { rows } = await site.context.database.pool.query<{ due: Date | number }>(
      'SELECT next_attempt_at AS due FROM mails WHERE recipient = $1 AND template = $2',
      [email, 'newEpisode'],
    )
    // Mails that users wait for are queued without a due time, so their due time is -infinity and they are sent first.
    expect(rows).toEqual([{ due: time.now }])
  })

  it('wait up to a day for episodes that are being transcoded', async () => {
    const { alerts } = await createSubscriber()
    await release(3)
    const { rows } = await site.context.database.pool.query<{ id: string }>(
      `UPDATE assets SET state = 'processing' FROM episodes
       WHERE assets.id = episodes.next_asset_id AND episodes.video_id = $1 AND episodes.number = 4 RETURNING assets.id`,
      [video.id],
    )
    expect(rows).toHaveLength(1)
    await alertNow()
    expect(await alerts()).toEqual([])
    time.advance(24 * 60)
    await sendAlerts(site.context)
    expect(await alerts()).toHaveLength(1)
  })

  it('are detected and combined in batches', async () => {
    const { alerts } = await createSubscriber()
    const others = await Promise.all(
      Array.from({ length: 2 }, () => buildVideo(site.context, { title: 'Pepper', episodes: 4, ready: 2 })),
    )
    await release(3, 4, 5)
    for (const other of others) await releaseEpisodes(site.context, other, 3)
    const run = () =>
      queryPlans(
        site.context.database,
        (db) => sendAlerts({ ...site.context, db }, undefined, 2),
        'these values',
      )
    const ofNewEpisodes = (plans: Plan[], statement: string) =>
      plans.filter(({ sql }) => sql.trim().startsWith(statement) && sql.includes('new_episodes'))
    const detecting = await run()
    expect(ofNewEpisodes(detecting, 'UPDATE')).toHaveLength(3)
    time.advance(11)
    expect(ofNewEpisodes(await run(), 'select')).toHaveLength(2)
    expect((await alerts()).map(({ subject }) => subject)).toEqual(['3 new episodes of Salt'])
    const left = await site.context.db.selectFrom('new_episodes').selectAll().execute()
    expect(left).toEqual([])
  })

  it('are not mailed before the release is complete', async () => {
    const { alerts } = await createSubscriber()
    await release(3)
    await sendAlerts(site.context)
    time.advance(5)
    await sendAlerts(site.context)
    expect(await alerts()).toEqual([])
  })

  it('are announced in the language of each user', async () => {
    const { visitor, alerts } = await createSubscriber()
    await visitor.callOk(changeUser, { body: { language: 'dy' } })
    await release(3)
    await alertNow()
    expect((await alerts())[0]?.text).toContain('Folge 3 von Salt, einem Ihrer Favoriten, ist da.')
  })

  it('are not mailed if alerts are off, the address is unconfirmed or the favorite was removed', async () => {
    const silent = await createSubscriber({ mail: false })
    const unconfirmed = await createSubscriber({ isConfirmed: false })
    const former = await createSubscriber()
    await former.visitor.callOk(removeFavorites, { body: { video_ids: [video.id] } })
    await release(3)
    await alertNow()
    for (const { alerts } of [silent, unconfirmed, former]) expect(await alerts()).toEqual([])
  })

  it('are not mailed to users who made the drama a favorite after the release', async () => {
    await release(3)
    await sendAlerts(site.context)
    time.advance(1)
    const { alerts } = await createSubscriber()
    time.advance(11)
    await sendAlerts(site.context)
    expect(await alerts()).toEqual([])
  })

  it('are not mailed if the drama was archived after the release', async () => {
    const { alerts } = await createSubscriber()
    await release(3)
    await sendAlerts(site.context)
    await site.context.db
      .updateTable('videos')
      .set({ state: 'archived' })
      .where('id', '=', video.id)
      .execute()
    await alertNow()
    expect(await alerts()).toEqual([])
  })

  it('do not include an older episode whose file is replaced', async () => {
    const { alerts } = await createSubscriber()
    const other = await buildVideo(site.context)
    const asset_id = other.episodes[0]?.assetId ?? null
    await site.context.db
      .updateTable('episodes')
      .set({ asset_id })
      .where('id', '=', video.episodes[0]?.id ?? '')
      .execute()
    await alertNow()
    expect(await alerts()).toEqual([])
  })

  it('reach each of many users once even if senders run concurrently and are interrupted', async () => {
    const { db } = site.context
    const ids = Array.from({ length: 450 }, (_, i) => `usr_fan_${video.id}_${i}`)
    const created_at = time.now
    const email = (id: string) => `${id}@example.com`
    await db
      .insertInto('users')
      .values(
        ids.map((id) => ({
          id,
          email: email(id),
          email_verified_at: created_at,
          referral_code: id,
          created_at,
        })),
      )
      .execute()
    await db
      .insertInto('alert_settings')
      .values(ids.map((user_id) => ({ user_id, mail: true, changed_at: created_at })))
      .execute()
    await db
      .insertInto('favorites')
      .values(ids.map((user_id) => ({ user_id, video_id: video.id, favorited_at: created_at })))
      .execute()
    await release(3)
    await sendAlerts(site.context)
    time.advance(11)
    await sendAlerts(site.context, AbortSignal.abort())
    await Promise.all([sendAlerts(site.context), sendAlerts(site.context)])
    const mails = await db
      .selectFrom('mails')
      .select('recipient')
      .where('template', '=', 'newEpisode')
      .execute()
    expect(mails.map(({ recipient }) => recipient).toSorted()).toEqual(ids.map(email).toSorted())
    await db.deleteFrom('mails').execute()
  })
})

describe('mails about favorites', () => {
  it('are off initially, and can be turned on only with a confirmed address', async () => {
    const { visitor } = await registerMember(site)
    expect(await visitor.callOk(getAlerts)).toEqual({ mail: false, can_mail: false })
    expect(await visitor.callOk(changeAlerts, { body: { mail: true } })).toEqual({
      mail: false,
      can_mail: false,
    })
    const { visitor: confirmed } = await createSubscriber({ mail: false })
    expect(await confirmed.callOk(getAlerts)).toEqual({ mail: false, can_mail: true })
    expect(await confirmed.callOk(changeAlerts, { body: { mail: true } })).toEqual({
      mail: true,
      can_mail: true,
    })
    expect(await confirmed.callOk(getAlerts)).toEqual({ mail: true, can_mail: true })
  })

  it('cannot be turned on by a guest', async () => {
    const guest = site.visitor()
    await guest.fetch('/api/user')
    expect(await guest.callOk(changeAlerts, { body: { mail: true } })).toEqual({
      mail: false,
      can_mail: false,
    })
  })

  it('are turned off by the link in a mail without a sign-in, even if the link is used twice, but not by a forged link', async () => {
    const { visitor, alerts } = await createSubscriber()
    await release(3)
    await alertNow()
    const secret = /#alerts=(\S+)/.exec((await alerts())[0]?.text ?? '')?.[1] ?? ''
    const stranger = site.visitor()
    const [userId, mac = ''] = secret.split('.')
    for (const forged of ['', 'x', `${userId}.`, `${userId}.${mac.slice(1)}`, `usr_other.${mac}`])
      expect((await stranger.call(stopAlerts, { body: { secret: forged } })).answer.code).toBe(500)
    expect(await visitor.callOk(getAlerts)).toMatchObject({ mail: true })
    for (let press = 0; press < 2; press++)
      expect(await stranger.callOk(stopAlerts, { body: { secret } })).toEqual({ mail: false })
    expect(await visitor.callOk(getAlerts)).toMatchObject({ mail: false })
  })

  it("are turned off by the mail program's one-click unsubscribe (RFC 8058), but not by a GET of its link", async () => {
    const { visitor, alerts } = await createSubscriber()
    await release(3)
    await alertNow()
    const [link = '', post] = (await alerts())[0]?.unsubscribe ?? []
    expect(link).toMatch(/^<http:\/\/localhost:3000\/\S+>$/)
    expect(post).toBe('List-Unsubscribe=One-Click')
    const url = link.slice(1, -1).replace('http://localhost:3000', site.url)
    const opened = await fetch(url, { redirect: 'manual' })
    const secret = new URL(url).searchParams.get('secret')
    expect([opened.status, opened.headers.get('location')]).toEqual([303, `/my#alerts=${secret}`])
    const click = (to: string, body: FormData | URLSearchParams) => fetch(to, { method: 'POST', body })
    expect((await click(`${url}x`, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }))).status).toBe(
      404,
    )
    expect(await visitor.callOk(getAlerts)).toMatchObject({ mail: true })
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    for (const body of [form, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })]) {
      expect((await click(url, body)).status).toBe(204)
      expect(await visitor.callOk(getAlerts)).toMatchObject({ mail: false })
      await visitor.callOk(changeAlerts, { body: { mail: true } })
    }
  })

  it('are the only mails with the one-click unsubscribe header', async () => {
    const { email } = await registerMember(site)
    const mails = await site.mails(email)
    expect(mails.map(({ unsubscribe }) => unsubscribe)).toEqual([['', '']])
  })

  it('end when the account is deleted', async () => {
    const { visitor, user, alerts } = await createSubscriber()
    await visitor.callOk(deleteUser, { body: { current_password: password } })
    await release(3)
    await alertNow()
    await sendMails(site.context)
    expect(await alerts()).toEqual([])
    const remaining = site.context.db.selectFrom('alert_settings').selectAll().where('user_id', '=', user.id)
    expect(await remaining.execute()).toEqual([])
  })
})
