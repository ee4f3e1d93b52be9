import { afterAll, beforeAll, expect, it } from 'vitest'
import { saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { runKillableSite } from '#server/testing/site/run-killable-site.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { Visitor } from '#server/testing/site/visitor.ts'
import { countsOf } from '#server/testing/builders/video-counts.ts'
import { aggregatePlays } from './aggregate-counts.ts'

let database: TestDatabase
let site: TestSite
beforeAll(async () => {
  database = await createTestDatabase()
  site = await startTestSite({ database })
})
afterAll(() => site.close())

it('a play is counted once if it was stored before its process is killed, and otherwise not at all', async () => {
  const video = await buildVideo(site.context, { episodes: 40, freeEpisodes: 40 })
  const crashingSite = await runKillableSite(database.url)
  const viewers = Array.from({ length: 4 }, () => new Visitor(crashingSite.url))
  for (const viewer of viewers) await viewer.callOk(getUser)
  const playCount = async () => {
    await aggregatePlays(site.context.db)
    return (await countsOf(site.context.db, video.id)).play_count
  }
  let responseCount = 0
  const watch = async (viewer: Visitor, from: number, to: number, afterwards: () => Promise<unknown>) => {
    for (const { id } of video.episodes.slice(from, to)) {
      const body = { video_id: video.id, episode_id: id, position_ms: 1, at: new Date().toISOString() }
      await viewer.callOk(saveHistory, { body })
      responseCount++
      await afterwards()
    }
  }
  await Promise.all(viewers.map((viewer) => watch(viewer, 0, 10, async () => {})))
  const early = responseCount
  await expect.poll(playCount, { timeout: 60_000 }).toBe(early)
  const end = async () => responseCount === early + 30 && (await crashingSite.end('SIGKILL'))
  const ends = await Promise.allSettled(viewers.map((viewer) => watch(viewer, 10, 40, end)))
  expect(ends.map(({ status }) => status)).toEqual(viewers.map(() => 'rejected'))
  const storedPlays = () =>
    site.context.db
      .selectFrom('plays')
      .select(['user_id', 'episode_id'])
      .where('video_id', '=', video.id)
      .execute()
  // PostgreSQL may commit a statement of the killed process between the two reads.
  await expect.poll(async () => (await playCount()) - (await storedPlays()).length).toBe(0)
  const stored = await storedPlays()
  const firstEpisodes = video.episodes.slice(0, 10).map(({ id }) => id)
  expect(stored.filter(({ episode_id }) => firstEpisodes.includes(episode_id))).toHaveLength(early)
  // A play of the last request of each viewer may be stored although its response was lost.
  expect(stored.length).toBeLessThanOrEqual(responseCount + viewers.length)
})
