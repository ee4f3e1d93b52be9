import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { newId } from '#server/platform/ids.ts'
import { addToCounters } from '#server/platform/database/add-to-counters.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { countsOf } from '#server/testing/builders/video-counts.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { runKillableSite } from '#server/testing/site/run-killable-site.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { Visitor } from '#server/testing/site/visitor.ts'
import { insertPlays } from '#server/features/library/history/playback-queries.ts'
import { mergePlays } from '#server/features/library/personal-data/personal-data-queries.ts'
import type { Tx } from '#server/tables.ts'
import { aggregatePlays } from './aggregate-counts.ts'
import { hasPlayCountChanges } from './count-queries.ts'

const halfHour = new Date('2026-03-01T12:00:00Z')

let database: TestDatabase
let site: TestSite
let video: BuiltVideo
beforeAll(async () => {
  database = await createTestDatabase()
  site = await startTestSite({ database })
})
afterAll(() => site.close())
beforeEach(async () => {
  video = await buildVideo(site.context, { episodes: 2, freeEpisodes: 2 })
})

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => database.db.transaction().execute(work)
const playCount = async () => (await countsOf(database.db, video.id)).play_count

async function play(userId: string, episode = 0): Promise<void> {
  const episode_id = video.episodes[episode]?.id ?? ''
  const row = { user_id: userId, episode_id, video_id: video.id, half_hour: halfHour }
  await inTransaction((tx) => insertPlays(tx, [row]))
}

/** Plays, counts and merges as release 1.1.0 does. */
const before = {
  async play(userId: string, episode = 0): Promise<void> {
    await database.pool.query(
      `INSERT INTO plays (user_id, episode_id, video_id, half_hour) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      [userId, video.episodes[episode]?.id, video.id, halfHour],
    )
  },
  async count(): Promise<void> {
    await inTransaction(async (tx) => {
      const rows = await tx
        .updateTable('plays')
        .set({ aggregated: true })
        .where('aggregated', '=', false)
        .returning('video_id')
        .execute()
      const plays = Map.groupBy(rows, ({ video_id }) => video_id)
      const counts = new Map([...plays].map(([id, { length }]) => [id, length]))
      await addToCounters(tx, 'videos', 'play_count', counts)
    })
  },
  /** Merges as release 1.1.0 does. If a play was counted for both users, that release subtracts one immediately. */
  async merge(guest: string, member: string): Promise<void> {
    await inTransaction(async (tx) => {
      await mergePlays(tx, guest, member)
      const changes = await tx
        .deleteFrom('play_count_changes')
        .where('change', '<', 0)
        .returningAll()
        .execute()
      const counts = new Map(changes.map((row) => [row.video_id, row.change]))
      await addToCounters(tx, 'videos', 'play_count', counts)
    })
  },
}

const users = () => [newId('usr'), newId('usr'), newId('usr'), newId('usr')] as const

describe('a play', () => {
  it('is counted without an update of its row: a batch appends one change for all plays of a video', async () => {
    const rows = users().map((user_id) => ({
      user_id,
      episode_id: video.episodes[0]?.id ?? '',
      video_id: video.id,
      half_hour: halfHour,
    }))
    await inTransaction((tx) => insertPlays(tx, rows))
    // Inserts the same plays again, as after a lost connection.
    await inTransaction((tx) => insertPlays(tx, rows))
    const changes = await database.db.selectFrom('play_count_changes').selectAll().execute()
    expect(changes).toMatchObject([{ video_id: video.id, change: 4 }])
    const versions = async () =>
      (await database.pool.query('SELECT xmin FROM plays WHERE video_id = $1', [video.id])).rows
    const inserted = await versions()
    await Promise.all([aggregatePlays(database.db), aggregatePlays(database.db)])
    expect(await playCount()).toBe(4)
    expect(await versions()).toEqual(inserted)
    expect(await database.db.selectFrom('play_count_changes').selectAll().execute()).toEqual([])
  })

  it('is counted when another process stops, even if that process saved nothing', async () => {
    const [userId] = users()
    const other = await startTestSite({ database: { ...database, close: async () => {} } })
    await play(userId)
    expect(await playCount()).toBe(0)
    await other.close()
    expect(await playCount()).toBe(1)
  })

  it('is counted once if two processes insert it at the same time and the later one fails with a conflict', async () => {
    const [userId] = users()
    const episode_id = video.episodes[0]?.id ?? ''
    const row = { user_id: userId, episode_id, video_id: video.id, half_hour: halfHour }
    const inserted = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const first = inTransaction(async (tx) => {
      await insertPlays(tx, [row])
      inserted.resolve()
      await gate.promise
    })
    await inserted.promise
    const second = inTransaction((tx) => insertPlays(tx, [row], 'fail'))
    const refused = expect(second).rejects.toMatchObject({ code: '23505' })
    await waitForLock(database.pool)
    gate.resolve()
    await Promise.all([first, refused])
    expect(await inTransaction((tx) => insertPlays(tx, [row], 'fail'))).toEqual([])
    await aggregatePlays(database.db)
    expect(await playCount()).toBe(1)
  })

  it('is counted once while processes of the previous release run too, even if guests are merged', async () => {
    const [a, b, c, d] = users()
    const both = async (userId: string) => {
      await play(userId)
      await before.play(userId)
      await before.play(userId, 1)
      await play(userId, 1)
    }
    await both(a)
    await before.count()
    expect(await playCount()).toBe(1)
    await both(b)
    await before.merge(a, b)
    await aggregatePlays(database.db)
    expect(await playCount()).toBe(2)
    await both(c)
    await before.play(d)
    await play(d, 1)
    await inTransaction((tx) => mergePlays(tx, c, d))
    await before.count()
    await aggregatePlays(database.db)
    expect(await playCount()).toBe(4)
  })

  it('is counted when its process stops, because the previous release may be started next', async () => {
    const stopping = await runKillableSite(database.url)
    const visitor = new Visitor(stopping.url)
    await visitor.callOk(getUser)
    for (const { id } of video.episodes) {
      const body = { video_id: video.id, episode_id: id, position_ms: 1, at: new Date().toISOString() }
      await visitor.callOk(saveHistory, { body })
    }
    await stopping.end('SIGTERM')
    expect(await playCount()).toBe(2)
  })
})

describe('on the schema of the previous release', () => {
  beforeAll(() => database.pool.query('ALTER TABLE play_count_changes RENAME TO not_yet'))
  afterAll(() => database.pool.query('ALTER TABLE not_yet RENAME TO play_count_changes'))

  it('each play is counted once; if both merged users had the same play, one is subtracted', async () => {
    expect(await hasPlayCountChanges(database.db)).toBe(false)
    const [a, b] = users()
    await play(a)
    await before.play(b)
    await play(b, 1)
    await aggregatePlays(database.db)
    expect(await playCount()).toBe(3)
    await inTransaction((tx) => mergePlays(tx, a, b))
    await play(a)
    await aggregatePlays(database.db)
    expect(await playCount()).toBe(3)
  })
})
