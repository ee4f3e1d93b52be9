import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { getHomepage, getVideo, listTags, queryHomepage } from '#contract/catalog.ts'
import { addFavorite, listFavorites } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { getEpisode } from '#contract/media.ts'
import { buildVideo, noStorage, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { advancingClock } from '#server/testing/fakes/advancing-clock.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let primary: TestDatabase
/** A database that acts as a replica. Its video has another title, so that a response reveals its source. */
let replica: TestDatabase
let site: TestSite
let video: BuiltVideo

beforeAll(async () => {
  primary = await createTestDatabase()
  replica = await createTestDatabase()
  // Starts a site once, which creates the default homepage in the replica too.
  await (await startTestSite({ database: { ...replica, close: async () => {} } })).close()
  site = await startTestSite({ clock: advancingClock(), database: { ...primary, readDb: replica.db } })
  video = await buildVideo(site.context, { title: 'Written' })
  const copy = await buildVideo({ db: replica.db, storage: noStorage }, { title: 'Replicated' })
  await replica.db.transaction().execute(async (tx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(tx)
    await sql`UPDATE videos SET id = ${video.id} WHERE id = ${copy.id}`.execute(tx)
    await sql`UPDATE video_search SET video_id = ${video.id} WHERE video_id = ${copy.id}`.execute(tx)
  })
})
afterAll(async () => {
  await site.close()
  await replica.close()
})

it('homepage, listings, search and video pages are read from the replica', async () => {
  const visitor = site.visitor()
  const answers = await Promise.all([
    visitor.callOk(getHomepage),
    visitor.callOk(queryHomepage),
    visitor.callOk(queryHomepage, { query: { keyword: 'replicated' } }),
    visitor.callOk(listTags, { query: { keyword: 'replic' } }),
    visitor.callOk(getVideo, { query: { id: video.id } }),
    site
      .visitor()
      .fetch('/')
      .then((response) => response.text()),
    site
      .visitor()
      .fetch(`/videos/${video.id}`)
      .then((response) => response.text()),
  ])
  for (const answer of answers.map((each) => JSON.stringify(each))) {
    expect(answer).toContain('Replicated')
    expect(answer).not.toContain('Written')
  }
})

it("a user's own data is read from the primary", async () => {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  await visitor.callOk(addFavorite, { body: { video_id: video.id } })
  expect((await visitor.callOk(listFavorites)).list).toMatchObject([{ id: video.id }])
  expect(await visitor.callOk(getVideo, { query: { id: video.id } })).toMatchObject({ favorite: true })
})

it('access to an episode is checked on the primary', async () => {
  const [first] = video.episodes
  const played = await site.visitor().callOk(getEpisode, { query: { episode_id: first?.id ?? '' } })
  expect(played).toMatchObject({ playback: { hls_url: expect.any(String) } })
})
