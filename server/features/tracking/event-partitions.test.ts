import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { advanceClock } from '#server/features/billing/gateways/sandbox/sandbox-clock.ts'
import { dayMs } from '#server/platform/clock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { trackedVisitor } from '#server/testing/site/tracked-visitor.ts'
import { readExportParts } from '#server/testing/read-export-parts.ts'
import {
  dropEventPartitions,
  createEventPartitions,
  createUpcomingEventPartitions,
} from './event-partitions.ts'
import { exportTracking, purgeEvents } from './tracking.ts'
import { receiveEvent, writeEvents } from './write-events.ts'

const monthsOf = async ({ pool }: Pick<TestDatabase, 'pool'>) => {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass ORDER BY 1",
  )
  return rows.map(({ name }) => name)
}

const eventAt = (at: Date, name: string, user_id: string | null = null) => ({
  at,
  id: randomUUID(),
  name,
  fields: '{}',
  user_id,
  fbclid: null,
  ttclid: null,
})

describe('an event whose month has no partition yet', () => {
  let own: TestDatabase
  let site: TestSite
  beforeAll(async () => {
    own = await createTestDatabase()
    site = await startTestSite({ database: own })
  })
  afterAll(() => site.close())

  const namesLike = async (name: string) =>
    (await own.db.selectFrom('events').select('name').where('name', 'like', name).execute()).map(
      (row) => row.name,
    )

  test('is stored after the sandbox’s clock was moved by years', async () => {
    await advanceClock(site.context.config, site.context.db, '800d')
    const clockOffset = () => site.context.clock.now().getTime() - Date.now()
    await expect.poll(clockOffset, { timeout: 120_000 }).toBeGreaterThan(700 * dayMs)
    await site.visitor().fetch('/api/statics.png?event=forwarded')
    await expect.poll(() => namesLike('forwarded')).toEqual(['forwarded'])
  })

  test('is stored once, together with the rest of its batch, if a clock is fast or slow', async () => {
    const times = ['1999-12-31T23:59:59.999Z', '2000-01-01T00:00:00Z', '2099-02-28T12:00:00Z'].map(
      (text) => new Date(text),
    )
    const batch = [...times, new Date()].map((at, number) =>
      receiveEvent(
        { name: `off_${number}`, fields: {}, fbclid: undefined, ttclid: undefined },
        at,
        '192.0.2.1',
        null,
      ),
    )
    const context = { ...site.context, secret: 's' }
    await Promise.all([writeEvents(context, batch), writeEvents(context, batch)])
    expect((await namesLike('off\\_%')).toSorted()).toEqual(['off_0', 'off_1', 'off_2', 'off_3'])
    expect(await monthsOf(own)).toEqual(
      expect.arrayContaining(['events_1999_12', 'events_2000_01', 'events_2099_02']),
    )
  })
})

describe('months of events', () => {
  let own: TestDatabase
  beforeAll(async () => {
    own = await createTestDatabase()
  })
  afterAll(() => own.close())

  const march = new Date('2021-03-15T12:00:00Z')
  const fill = (...times: string[]) =>
    own.db
      .insertInto('events')
      .values(times.map((time) => eventAt(new Date(time), time)))
      .execute()
  const storedTimes = async () =>
    (await own.db.selectFrom('events').select('name').orderBy('at').execute()).map(({ name }) => name)

  beforeEach(async () => {
    for (const month of await monthsOf(own)) await own.pool.query(`DROP TABLE ${month}`)
  })

  test('are created in advance, and only once by concurrent processes', async () => {
    const now = new Date('2021-11-30T23:30:00Z')
    await Promise.all(Array.from({ length: 6 }, () => createUpcomingEventPartitions(own.db, now)))
    expect(await monthsOf(own)).toEqual(['events_2021_11', 'events_2021_12', 'events_2022_01'])
  })

  test('are each dropped as a whole, but only after all their events have expired', async () => {
    const edges = ['2021-01-31T23:59:59.999Z', '2021-02-01T00:00:00.000Z', '2021-02-28T23:59:59.999Z']
    await createEventPartitions(own.db, [...edges.map((time) => new Date(time)), march])
    await fill(...edges, march.toISOString())
    expect(await dropEventPartitions(own.db, new Date('2021-02-28T23:59:59.999Z'))).toEqual([])
    expect(await monthsOf(own)).toEqual(['events_2021_02', 'events_2021_03'])
    expect(await storedTimes()).toEqual([...edges.slice(1), march.toISOString()])
    await dropEventPartitions(own.db, new Date('2021-03-01T00:00:00Z'))
    expect(await storedTimes()).toEqual([march.toISOString()])
  })

  test('are created while other transactions read and write', async () => {
    await createEventPartitions(own.db, [march])
    const client = await own.pool.connect()
    onTestFinished(() => client.release(true))
    await client.query('BEGIN')
    await client.query("INSERT INTO events (at, id, name) VALUES ($1, gen_random_uuid(), 'under way')", [
      march,
    ])
    await client.query('SELECT FROM events')
    await createUpcomingEventPartitions(own.db, march)
    await client.query('COMMIT')
    expect(await monthsOf(own)).toEqual(['events_2021_03', 'events_2021_04', 'events_2021_05'])
  })

  test('are kept while they are being read, without blocking other transactions', async () => {
    await createEventPartitions(own.db, [new Date('2021-02-01'), march])
    await fill('2021-02-01T00:00:00.000Z')
    const reader = await own.pool.connect()
    onTestFinished(() => reader.release(true))
    await reader.query('BEGIN')
    await reader.query('SELECT FROM events')
    let dropped: string[] | undefined
    const dropping = dropEventPartitions(own.db, march).then((remaining) => (dropped = remaining))
    const other = await own.pool.connect()
    onTestFinished(() => other.release(true))
    while (dropped === undefined) {
      await other.query("BEGIN; SET LOCAL lock_timeout = '1ms'")
      await other.query('SELECT FROM events')
      await other.query("INSERT INTO events (at, id, name) VALUES ($1, gen_random_uuid(), 'beside')", [march])
      await other.query('COMMIT')
    }
    expect(await dropping).toEqual(['events_2021_02'])
    await reader.query('COMMIT')
    expect(await dropEventPartitions(own.db, march)).toEqual([])
    expect(await monthsOf(own)).toEqual(['events_2021_03'])
  })
})

test('a user’s events are exported as long as their month is stored', async () => {
  const own = await createTestDatabase()
  // Events before 21 July have expired. July is still stored as a whole, so the event of 20 July is exported too.
  const now = new Date('2026-08-20T12:00:00Z')
  const site = await startTestSite({ database: own, clock: { now: () => now } }, { EVENTS_DAYS: '30' })
  onTestFinished(() => site.close())
  const { userId } = await trackedVisitor(site, true)
  const ages = { younger: 29, older: 31, dropped: 51 }
  const events = Object.entries(ages).map(([name, days]) =>
    eventAt(new Date(now.getTime() - days * dayMs), name, userId),
  )
  await createEventPartitions(own.db, [...events.map(({ at }) => at), now])
  await own.db.insertInto('events').values(events).execute()
  await purgeEvents(site.context, new AbortController().signal)
  const { events: shown } = await readExportParts(exportTracking(own.db, userId))
  expect(shown).toMatchObject([{ name: 'younger' }, { name: 'older' }])
  const rows = await own.db.selectFrom('events').select('name').where('user_id', '=', userId).execute()
  expect(rows.map(({ name }) => name).toSorted()).toEqual(['older', 'younger'])
})
