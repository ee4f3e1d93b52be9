import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { buildTag, buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { contendForRow } from '#server/testing/database/row-contention.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Db, Tx } from '#server/tables.ts'
import { decayTrendingScores, rankTags, refreshPlayedVideos } from './rank-queries.ts'

let site: TestSite
let tag: string
let video: BuiltVideo
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  tag = await buildTag(db(), 'Harbour')
  video = await buildVideo(site.context, { episodes: 1 })
})

const db = () => site.context.db

/** Does not use `inTransaction`, which retries after a deadlock and would hide it. */
async function runWithContention(work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const row = { table: 'tags', id: tag, column: 'trending_score' }
  await contendForRow(site.context.database.pool, row, () => db().transaction().execute(work))
}

async function tagVideo(): Promise<void> {
  await db().insertInto('video_tags').values({ video_id: video.id, tag_id: tag, position: 0 }).execute()
}

async function changeVideo(change: { play_count: number } | { state: 'archived' }, of: Db): Promise<void> {
  await of.updateTable('videos').set(change).where('id', '=', video.id).execute()
}

async function setScore(trending_score: number): Promise<void> {
  await db().updateTable('tags').set({ trending_score }).where('id', '=', tag).execute()
}

function tagNow() {
  const tags = db().selectFrom('tags').select(['trending_score', 'trending', 'video_count'])
  return tags.where('id', '=', tag).executeTakeFirstOrThrow()
}

it('a ranking adds plays to a tag while foreign key checks of concurrent transactions lock the tag', async () => {
  await tagVideo()
  await changeVideo({ play_count: 7 }, db())
  await runWithContention((tx) => refreshPlayedVideos(tx, 100, new Date()))
  expect(await tagNow()).toMatchObject({ trending_score: 7 })
})

it('a ranking decays the score of a tag while foreign key checks of concurrent transactions lock the tag', async () => {
  await setScore(8)
  await runWithContention((tx) => decayTrendingScores(tx, 0.5))
  expect(await tagNow()).toMatchObject({ trending_score: 4 })
})

it('a ranking ranks a tag while foreign key checks of concurrent transactions lock the tag', async () => {
  await setScore(100)
  await runWithContention((tx) => rankTags(tx, 1))
  expect(await tagNow()).toMatchObject({ trending: true })
})

it('a trigger counts the videos of a tag while foreign key checks of concurrent transactions lock the tag', async () => {
  await tagVideo()
  expect(await tagNow()).toMatchObject({ video_count: 1 })
  await runWithContention((tx) => changeVideo({ state: 'archived' }, tx))
  expect(await tagNow()).toMatchObject({ video_count: 0 })
})
