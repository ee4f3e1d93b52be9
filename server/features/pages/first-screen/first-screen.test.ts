import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { loadFirstScreen } from './load-first-screen.ts'

let site: TestSite
let video: BuiltVideo

beforeAll(async () => {
  site = await startTestSite()
  video = await buildVideo(site.context, { episodes: 102, freeEpisodes: 101, ready: 0 })
  // Marks the assets as ready without files, because nothing requests the files here.
  await site.context.db
    .updateTable('episodes')
    .set(({ ref }) => ({ asset_id: ref('next_asset_id'), next_asset_id: null }))
    .where('video_id', '=', video.id)
    .execute()
})
afterAll(() => site.close())

const open = (episodeNumber: number) =>
  loadFirstScreen(site.context, {
    cookies: {},
    language: 'en',
    videoId: video.id,
    episodeNumber,
  })

test('the first screen includes the playable episode even if it is on a later page of the list', async () => {
  expect(await open(101)).toMatchObject({
    episodes: { next_cursor: expect.any(String) },
    playable: { episode: { id: video.episodes[100]?.id, number: 101 } },
  })
})

test('the first screen includes the next episode unless that episode is locked', async () => {
  const id = video.episodes[51]?.id
  expect(await open(51)).toMatchObject({ playable: { next: { id } }, following: { episode: { id } } })
  expect(await open(101)).toMatchObject({ playable: { next: { state: 'locked' } }, following: undefined })
})

test.each([102, 103])(
  'the first screen does not include episode %d, which is locked or does not exist',
  async (number) => {
    expect(await open(number)).toMatchObject({ video: { id: video.id }, playable: undefined })
  },
)
