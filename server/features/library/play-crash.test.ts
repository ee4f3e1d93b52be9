import { afterAll, beforeAll, expect, it } from 'vitest'
import { saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { buildVideo } from '#server/testing/builders.ts'
import { runKillableSite } from '#server/testing/run-killable-site.ts'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'
import { testSite, type TestSite } from '#server/testing/test-site.ts'
import { Visitor } from '#server/testing/visitor.ts'
import { foldPlays } from './fold-counts.ts'

let database: TestDatabase
let site: TestSite
beforeAll(async () => {
  database = await testDatabase()
  site = await testSite({ database })
})
afterAll(() => site.close())

it('counts every play that was answered, though the process is killed with more under way', async () => {
  const video = await buildVideo(site.context, { episodes: 40, freeEpisodes: 40 })
  const doomed = await runKillableSite(database.url)
  const viewers = Array.from({ length: 4 }, () => new Visitor(doomed.url))
  for (const viewer of viewers) await viewer.ask(getUser)
  let answered = 0
  const watch = async (viewer: Visitor) => {
    for (const { id } of video.episodes) {
      const body = { video_id: video.id, episode_id: id, position_ms: 1, at: new Date().toISOString() }
      await viewer.ask(saveHistory, { body })
      answered++
      if (answered === 30) await doomed.end('SIGKILL')
    }
  }
  const ends = await Promise.allSettled(viewers.map(watch))
  expect(ends.map(({ status }) => status)).toEqual(viewers.map(() => 'rejected'))
  await foldPlays(site.context.db)
  const { play_count } = await site.context.db
    .selectFrom('videos')
    .select('play_count')
    .where('id', '=', video.id)
    .executeTakeFirstOrThrow()
  expect(play_count).toBeGreaterThanOrEqual(answered)
  expect(play_count).toBeLessThanOrEqual(answered + viewers.length)
})
