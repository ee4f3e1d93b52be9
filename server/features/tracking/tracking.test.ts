import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { getVideo } from '#contract/catalog.ts'
import { changeUser, deleteUser, getUser, registerUser, signIn } from '#contract/members.ts'
import { getReports } from '#contract/tracking.ts'
import { avoidEndOfPeriod } from '#server/testing/avoid-end-of-period.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { readExportParts } from '#server/testing/read-export-parts.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { trackedVisitor } from '#server/testing/site/tracked-visitor.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { createEventPartitions } from './event-partitions.ts'
import {
  exportTracking,
  eraseTracking,
  aggregateShares,
  mergeTracking,
  purgeEvents,
  withdrawConsent,
} from './tracking.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite({}, { FACEBOOK_PIXEL_ID: '1', TIKTOK_PIXEL: 'T1' })
})
afterAll(() => site.close())

const beacon = (visitor: Visitor, fields: Record<string, string>) =>
  visitor.fetch(`/api/statics.png?${new URLSearchParams(fields).toString()}`)

/** Waits for this number of events with a name, and returns them. */
async function eventsOf(name: string, count = 1) {
  const rows = () =>
    site.context.db.selectFrom('events').selectAll().where('name', '=', name).orderBy('at').execute()
  await vi.waitFor(async () => expect(await rows()).toHaveLength(count), { timeout: 60_000, interval: 30 })
  return rows()
}

/**
 * Waits until all earlier events are written. Sends two beacons, because `npm run test:two` has two server processes
 * behind a round-robin proxy.
 */
async function settle(): Promise<void> {
  const name = `mark_${Math.random().toString(36).slice(2)}`
  await beacon(site.visitor(), { event: name })
  await beacon(site.visitor(), { event: name })
  await eventsOf(name, 2)
}

describe('the beacon', () => {
  test('returns an uncacheable pixel, and stores the event with its fields', async () => {
    const response = await beacon(site.visitor(), {
      event: 'http_error/api/video503',
      at: 'home',
      shown: '3',
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    const [event] = await eventsOf('http_error/api/video503')
    expect(event).toMatchObject({ fields: { at: 'home', shown: '3' }, user_id: null, fbclid: null })
  })

  test.each([
    ['without an event name', ''],
    ['with an invalid name', 'event=%3Cscript%3E'],
    ['with a name that is too long', `event=${'a'.repeat(129)}`],
    ['with two names', 'event=one&event=two'],
  ])('returns the pixel for a request %s, and stores nothing', async (_case, query) => {
    const before = await site.context.db
      .selectFrom('events')
      .select('id')
      .where('name', 'not like', 'mark%')
      .execute()
    const response = await site.visitor().fetch(`/api/statics.png?${query}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    await settle()
    const after = await site.context.db
      .selectFrom('events')
      .select('id')
      .where('name', 'not like', 'mark%')
      .execute()
    expect(after).toHaveLength(before.length)
  })

  test('drops invalid fields, and fields after the sixteenth', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, 'x']))
    await beacon(site.visitor(), {
      event: 'bounded',
      long: 'x'.repeat(257),
      'a-b': 'x',
      __proto: 'x',
      ...many,
    })
    const [event] = await eventsOf('bounded')
    expect(Object.keys(event?.fields ?? {})).toEqual(Array.from({ length: 16 }, (_, index) => `f${index}`))
  })

  test('limits the total length of the fields', async () => {
    const fields = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`f${at}`, 'x'.repeat(250)]))
    await beacon(site.visitor(), { event: 'summed', ...fields })
    const [event] = await eventsOf('summed')
    expect(Object.keys(event?.fields ?? {})).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7'])
  })

  test('stores a user and click ids only with consent', async () => {
    const people = await Promise.all([true, false, null].map((answer) => trackedVisitor(site, answer)))
    for (const { visitor } of people)
      await beacon(visitor, { event: 'consent_seen', fbclid: 'fb1', ttclid: 'tt1' })
    const stranger = site.visitor()
    await stranger.callOk(getUser)
    await beacon(stranger, { event: 'consent_seen', fbclid: 'fb1', ttclid: 'tt1' })
    const events = await eventsOf('consent_seen', 4)
    const agreed = { user_id: people[0]?.userId, fbclid: 'fb1', ttclid: 'tt1', fields: {} }
    const anonymous = { user_id: null, fbclid: null, ttclid: null, fields: {} }
    expect(
      events.map(({ user_id, fbclid, ttclid, fields }) => ({ user_id, fbclid, ttclid, fields })),
    ).toEqual(expect.arrayContaining([agreed, anonymous, anonymous, anonymous]))
    expect(events.filter(({ user_id }) => user_id !== null)).toHaveLength(1)
  })
})

describe('shares', () => {
  // A share counts again in the next half hour.
  beforeEach(() => avoidEndOfPeriod(30 * 60_000))

  const shareCount = async (id: string) => {
    await settle()
    await Promise.all([aggregateShares(site.context.db), aggregateShares(site.context.db)])
    const { share_count } = await site.context.db
      .selectFrom('videos')
      .select('share_count')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return share_count
  }
  const share = (visitor: Visitor, video_id: string) => beacon(visitor, { event: 'share', video_id })

  test('count once per viewer, video and half hour', async () => {
    const [one, two] = [await buildVideo(site.context), await buildVideo(site.context)]
    const people = await Promise.all([trackedVisitor(site, null), trackedVisitor(site, true)])
    for (const { visitor } of [...people, ...people]) await share(visitor, one.id)
    for (const { visitor } of people.slice(1)) await share(visitor, two.id)
    expect(await shareCount(one.id)).toBe(2)
    expect(await shareCount(one.id)).toBe(2)
    expect(await shareCount(two.id)).toBe(1)
    const { answer } = await site.visitor().call(getVideo, { query: { id: one.id } })
    expect(answer.info?.share_count).toBe(2)
  })

  test('of many new guests with one IP address count as one', async () => {
    const video = await buildVideo(site.context)
    for (let guest = 0; guest < 10; guest++) {
      const visitor = site.visitor()
      await visitor.callOk(getUser)
      await share(visitor, video.id)
    }
    await share(site.visitor(), video.id)
    expect(await shareCount(video.id)).toBe(1)
  })

  test('of unpublished or unknown videos do not count', async () => {
    const draft = await buildVideo(site.context, { state: 'draft' })
    await share(site.visitor(), draft.id)
    await share(site.visitor(), 'vid_none')
    expect(await shareCount(draft.id)).toBe(0)
    expect(
      await site.context.db.selectFrom('shares').selectAll().where('video_id', '=', 'vid_none').execute(),
    ).toEqual([])
  })

  test('do not identify the viewer in the database', async () => {
    const video = await buildVideo(site.context)
    const { visitor, userId } = await trackedVisitor(site, false)
    await share(visitor, video.id)
    expect(await shareCount(video.id)).toBe(1)
    const rows = await site.context.db
      .selectFrom('shares')
      .selectAll()
      .where('video_id', '=', video.id)
      .execute()
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${userId}|127\\.0\\.0\\.1`))
  })
})

describe("a user's stored data", () => {
  const personOf = async (name: string) => (await eventsOf(name)).map(({ user_id }) => user_id)

  test('is deleted when consent is withdrawn, but the events are kept', async () => {
    const { visitor, userId } = await trackedVisitor(site, true)
    await beacon(visitor, { event: 'withdrawn', fbclid: 'fb1' })
    expect(await personOf('withdrawn')).toEqual([userId])
    await site.context.db.transaction().execute((tx) => withdrawConsent(site.context, tx, userId))
    expect(await eventsOf('withdrawn')).toMatchObject([{ user_id: null, fbclid: null }])
  })

  const consent = (marketing: boolean) => ({ body: { consent: { marketing } } })
  const actions: [string, (visitor: Visitor) => Promise<unknown>][] = [
    ['withdraws consent', (visitor) => visitor.callOk(changeUser, consent(false))],
    ['deletes the account', (visitor) => visitor.callOk(deleteUser)],
    ['signs in to an account without consent', (visitor) => signInTo(visitor, false)],
  ]

  /** Signs in to an account with an answer about marketing. */
  async function signInTo(visitor: Visitor, marketing: boolean): Promise<void> {
    const account = {
      email: `${Math.random().toString(36).slice(2)}@example.com`,
      password: 'a long enough password 7',
    }
    const member = site.visitor()
    await member.callOk(registerUser, { body: { ...account, repeat_password: account.password } })
    await member.callOk(changeUser, consent(marketing))
    await visitor.callOk(signIn, { body: account })
  }

  test.each(actions)('is deleted if the user %s while an event is written', async (_, end) => {
    const { pool } = site.context.database
    const video = await buildVideo(site.context)
    const { visitor } = await trackedVisitor(site, true)
    const other = await pool.connect()
    await other.query('BEGIN')
    // Shares are written after the events, so the events' transaction waits for this lock.
    await other.query('LOCK TABLE shares IN SHARE MODE')
    await beacon(visitor, { event: 'share', video_id: video.id, fbclid: 'fb1' })
    await waitForLock(pool)
    const ended = end(visitor)
    await Promise.race([ended, waitForLock(pool, 2)])
    await other.query('COMMIT')
    other.release()
    await ended
    const { rows } = await pool.query(`SELECT user_id, fbclid FROM events WHERE fields ->> 'video_id' = $1`, [
      video.id,
    ])
    expect(rows).toEqual([{ user_id: null, fbclid: null }])
  })

  test('is not stored while consent is being withdrawn, and the event is written without waiting', async () => {
    const { visitor, userId } = await trackedVisitor(site, true)
    const other = await site.context.database.pool.connect()
    await other.query('BEGIN')
    await other.query('UPDATE users SET consent_marketing = false WHERE id = $1', [userId])
    await beacon(visitor, { event: 'being_withdrawn', fbclid: 'fb1' })
    expect(await eventsOf('being_withdrawn')).toMatchObject([{ user_id: null, fbclid: null }])
    await other.query('COMMIT')
    other.release()
  })

  test('moves to the account at sign-in unless the account has refused consent', async () => {
    const guests = await Promise.all([trackedVisitor(site, true), trackedVisitor(site, true)])
    const members = await Promise.all([trackedVisitor(site, null), trackedVisitor(site, false)])
    for (const [index, { visitor, userId }] of guests.entries()) {
      await beacon(visitor, { event: `merged_${index}` })
      await eventsOf(`merged_${index}`)
      const member = members[index]?.userId ?? ''
      const merge = () =>
        site.context.db.transaction().execute((tx) => mergeTracking(site.context, tx, userId, member))
      await merge()
      await merge()
    }
    // The first member had not answered, so the guest's yes applies. The second member had refused.
    expect(await personOf('merged_0')).toEqual([members[0]?.userId])
    expect(await personOf('merged_1')).toEqual([null])
  })

  test('is exported and erased', async () => {
    const { visitor, userId } = await trackedVisitor(site, true)
    await beacon(visitor, { event: 'exported', page: 'home' })
    await eventsOf('exported')
    const exported = await readExportParts(exportTracking(site.context.db, userId))
    expect(exported).toMatchObject({
      attribution: null,
      events: [{ name: 'exported', fields: { page: 'home' } }],
    })
    await site.context.db.transaction().execute((tx) => eraseTracking(tx, userId))
    expect(await readExportParts(exportTracking(site.context.db, userId))).toEqual({
      attribution: null,
      events: [],
      conversions: [],
    })
  })
})

test('an export has every event of a user once, newest first', async () => {
  const { userId } = await trackedVisitor(site, true)
  const many = 10_001
  await site.context.database.pool.query(
    `INSERT INTO events (at, id, name, user_id)
     SELECT now() - n / 3 * interval '1 s', gen_random_uuid(), 'event ' || n, $1 FROM generate_series(1, $2::int) n`,
    [userId, many],
  )
  const { events } = await readExportParts(exportTracking(site.context.db, userId))
  const exported = events as { at: Date; name: string }[]
  expect(new Set(exported.map(({ name }) => name)).size).toBe(many)
  expect(exported).toHaveLength(many)
  const times = exported.map(({ at }) => at.getTime())
  expect(times).toEqual(times.toSorted((a, b) => b - a))
})

test('a month of events is deleted after all its events have expired, and shares after a day', async () => {
  const { db } = site.context
  const day = 86_400_000
  const longestMonth = 31
  const ages = [
    site.context.tracking.eventRetentionDays - 1,
    site.context.tracking.eventRetentionDays + longestMonth,
  ]
  const events = ages.map((age, index) => ({
    at: new Date(Date.now() - age * day),
    id: `00000000-0000-4000-8000-00000000000${index}`,
    name: 'aged',
    fields: '{}',
    user_id: null,
    fbclid: null,
    ttclid: null,
  }))
  await createEventPartitions(
    db,
    events.map(({ at }) => at),
  )
  await db.insertInto('events').values(events).execute()
  await db
    .insertInto('shares')
    .values([
      { dedup_key: 'old', video_id: 'vid_x', at: new Date(Date.now() - 2 * day), aggregated: true },
      { dedup_key: 'new', video_id: 'vid_x', at: new Date(), aggregated: true },
    ])
    .execute()
  await purgeEvents(site.context, new AbortController().signal)
  expect(await eventsOf('aged')).toHaveLength(1)
  const marks = await db.selectFrom('shares').select('dedup_key').where('video_id', '=', 'vid_x').execute()
  expect(marks).toEqual([{ dedup_key: 'new' }])
})

describe('GET /api/reports', () => {
  const reports = async () => {
    const { list } = await site.visitor().callOk(getReports)
    return Object.fromEntries(list.map(({ config_key, config_value }) => [config_key, config_value]))
  }
  const ofEnvironment = { facebook_pixel_id: '1', google_analytics: '', tiktok_pixel: 'T1', bigo_pixel: '' }

  test('returns the four pixel ids from the environment, or empty values', async () => {
    expect(await reports()).toEqual(ofEnvironment)
  })

  test("returns the operator's settings rather than the environment's, and ignores invalid ids", async () => {
    const value = { facebook_pixel_id: '123', google_analytics: 'G-1', bigo_pixel: '"><script>', secret: 'x' }
    await site.context.db
      .insertInto('settings')
      .values({ key: 'tracking', value: JSON.stringify(value) })
      .execute()
    expect(await reports()).toEqual({ ...ofEnvironment, facebook_pixel_id: '123', google_analytics: 'G-1' })
  })
})
