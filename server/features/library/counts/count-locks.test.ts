import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { contendForRow } from '#server/testing/database/row-contention.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Tx } from '#server/tables.ts'
import { aggregateFavoriteBatch, aggregatePlayBatch } from './count-queries.ts'
import { insertPlays } from '#server/features/library/history/playback-queries.ts'
import { mergePlays } from '#server/features/library/personal-data/personal-data-queries.ts'

let site: TestSite
let video: BuiltVideo
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  video = await buildVideo(site.context, { episodes: 1 })
})

const halfHour = new Date('2026-03-01T12:00:00Z')

/** Runs `work` without `inTransaction`, which would hide a deadlock by a retry. */
const once = <T>(work: (tx: Tx) => Promise<T>) => site.context.db.transaction().execute(work)

async function runWithContention(work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const row = { table: 'videos', id: video.id, column: 'share_count' }
  await contendForRow(site.context.database.pool, row, () => once(work))
}

/**
 * Inserts a play of a user, by default of a new user.
 * @returns the user's id
 */
async function play(userId = newId('usr')): Promise<string> {
  const episode_id = video.episodes[0]?.id ?? ''
  await once((tx) =>
    insertPlays(tx, [{ user_id: userId, episode_id, video_id: video.id, half_hour: halfHour }]),
  )
  return userId
}

function counts() {
  const { db } = site.context
  const counted = db.selectFrom('videos').select(['play_count', 'favorite_count']).where('id', '=', video.id)
  return counted.executeTakeFirstOrThrow()
}

it('plays are counted while foreign key checks of concurrent transactions lock their video', async () => {
  await play()
  await runWithContention((tx) => aggregatePlayBatch(tx, 100))
  expect(await counts()).toEqual({ play_count: 1, favorite_count: 0 })
})

it('favorites are counted while foreign key checks of concurrent transactions lock their video', async () => {
  await site.context.db.insertInto('favorite_changes').values({ video_id: video.id, change: 1 }).execute()
  await runWithContention((tx) => aggregateFavoriteBatch(tx, 100))
  expect(await counts()).toEqual({ play_count: 0, favorite_count: 1 })
})

it('counted plays are merged without waiting for a lock of their video', async () => {
  const [guest, member] = [await play(), await play()]
  await once((tx) => aggregatePlayBatch(tx, 100))
  const other = await site.context.database.pool.connect()
  try {
    await other.query('BEGIN')
    await other.query('SELECT FROM videos WHERE id = $1 FOR UPDATE', [video.id])
    await once((tx) => mergePlays(tx, guest, member))
    await other.query('COMMIT')
  } finally {
    other.release(true)
  }
  await once((tx) => aggregatePlayBatch(tx, 100))
  expect(await counts()).toEqual({ play_count: 1, favorite_count: 0 })
})
