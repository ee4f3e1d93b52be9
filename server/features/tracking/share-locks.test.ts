import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { contendForRow } from '#server/testing/database/row-contention.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { aggregateShareBatch, insertShares } from './event-queries.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

it('shares are counted while a foreign key check locks their video and other transactions change it', async () => {
  const { db, database } = site.context
  const { id } = await buildVideo(site.context, { episodes: 1 })
  await db
    .transaction()
    .execute((tx) => insertShares(tx, [{ dedup_key: 'one', video_id: id, at: new Date() }]))
  // Does not use `inTransaction`, which retries after a deadlock and would hide it.
  await contendForRow(database.pool, { table: 'videos', id, column: 'play_count' }, () =>
    db.transaction().execute((tx) => aggregateShareBatch(tx, 100)),
  )
  const video = db.selectFrom('videos').select('share_count').where('id', '=', id)
  expect(await video.executeTakeFirstOrThrow()).toEqual({ share_count: 1 })
})
