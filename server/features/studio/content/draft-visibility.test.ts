import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOrder, unlockEpisode } from '#contract/billing.ts'
import { viewerEndpoints } from '#contract/all-endpoints.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { addFavorite, saveHistory } from '#contract/library.ts'
import { editVideo, publishVideo, scheduleVideo, type VideoState } from '#contract/studio/videos.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { createMember } from '#server/testing/builders/member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/** Unique words in the texts, the tag and the category of the video. */
const title = 'Zugzwang'
const label = 'Quixotry'

let site: TestSite
let studio: Visitor
let viewer: Visitor
/** Shared responses are cached for a second, so each read is ten seconds after the previous one. */
let requestCount = 0

beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => new Date(Date.now() + 10_000 * requestCount) } })
  studio = (await signInOperator(site, 'editor')).studio
  viewer = (await createMember(site)).visitor
})
afterAll(() => site.close())

async function make(): Promise<BuiltVideo> {
  const video = await buildVideo(site.context, { title, state: 'draft', episodes: 5 })
  const edits = { tags: [label], category: label, featured: true, synopses: { en: `${title} it is` } }
  await studio.callOk(editVideo, { body: { id: video.id, ...edits } })
  return video
}

/**
 * Reads everything that a viewer can read: the documents, and the responses to the GET calls. Each call is also made
 * with the values of this video as parameters.
 */
async function readAll({ id, episodes }: BuiltVideo): Promise<Map<string, string>> {
  const read = new Map<string, string>()
  requestCount++
  for (const path of [...(await pathsOf(id, episodes[0]?.id ?? '')), ...documents(id)])
    read.set(path, await (await viewer.fetch(path)).text())
  const [index = ''] = [read.get('/sitemap.xml')]
  for (const [, path = ''] of index.matchAll(/<loc>http:\/\/localhost:3000([^<]*)<\/loc>/g))
    read.set(path, await (await viewer.fetch(path)).text())
  return read
}

const documents = (id: string) => ['/', '/sitemap.xml', `/videos/${id}?episode=2`, `/searchDetail/${title}`]

async function pathsOf(id: string, episode: string): Promise<string[]> {
  const { db } = site.context
  const [tag, category, sections] = await Promise.all([
    db.selectFrom('tags').select('id').where('slug', '=', 'quixotry').executeTakeFirstOrThrow(),
    db.selectFrom('categories').select('id').where('slug', '=', 'quixotry').executeTakeFirstOrThrow(),
    db.selectFrom('sections').select('id').execute(),
  ])
  const values: Record<string, string[]> = {
    id: [id],
    video_id: [id],
    episode_id: [episode],
    keyword: [title, title.slice(0, 4), label, 'Zugzwnag'],
    tag: [tag.id],
    menu: [category.id],
    section: sections.map((section) => section.id),
  }
  return viewerEndpoints
    .filter(({ method, path }) => method === 'GET' && !path.includes(':'))
    .flatMap(({ path, query }: Endpoint) => {
      const names = Object.keys(query?.properties ?? {}).filter((name) => name in values)
      const filtered = names.flatMap((name) =>
        (values[name] ?? []).map((value) => `${path}?${name}=${value}`),
      )
      return [path, ...filtered]
    })
}

/** Returns whether a response reveals the video. The name of a tag or category is public to viewers who know its id. */
const shows = (text: string, { id, episodes }: BuiltVideo, path: string) =>
  [title, id, episodes[1]?.id ?? '', ...(/(tag|menu)=/.test(path) ? [] : [label])]
    .filter((word) => !path.includes(word))
    .some((word) => text.includes(word))

/** Returns the calls and pages in which a published video appears. */
const readable = ({ id }: BuiltVideo) => [
  '/api/homepage',
  '/api/homepage/query',
  '/api/tag',
  '/api/video',
  '/api/video/episode',
  '/sitemap.xml',
  `/videos/${id}`,
]

describe.each<VideoState>(['draft', 'scheduled'])('a video that is %s', (state) => {
  it('is in responses, listings, search, documents and the sitemap only after it is published', async () => {
    const video = await make()
    const at = new Date(Date.now() + 3_600_000).toISOString()
    if (state === 'scheduled') await studio.callOk(scheduleVideo, { body: { id: video.id, at } })
    const hidden = await readAll(video)
    const shown = [...hidden].filter(([path, text]) => shows(text, video, path)).map(([path]) => path)
    expect(shown).toEqual([])
    await studio.callOk(publishVideo, { body: { id: video.id } })
    const seen = [...(await readAll(video))].filter(([path, text]) => shows(text, video, path))
    const places = seen.map(([path]) => path.split('?')[0])
    expect(places).toEqual(expect.arrayContaining(readable(video)))
    await site.context.db.deleteFrom('videos').where('id', '=', video.id).execute()
  })

  it('cannot be unlocked, bought, favorited or watched', async () => {
    const { id, episodes } = await make()
    const episode_id = episodes[4]?.id ?? ''
    const at = new Date(Date.now() + 3_600_000).toISOString()
    if (state === 'scheduled') await studio.callOk(scheduleVideo, { body: { id, at } })
    const order = { gateway: 'sandbox', email: 'ada@example.com' } as const
    const tries = [
      viewer.call(unlockEpisode, { body: { episode_id } }),
      viewer.call(createOrder, { body: { ...order, kind: 'episode', episode_id } }),
      viewer.call(createOrder, { body: { ...order, kind: 'video', video_id: id } }),
      viewer.call(addFavorite, { body: { video_id: id } }),
      viewer.call(saveHistory, { body: { video_id: id, episode_id, position_ms: 1, at } }),
    ]
    for (const { answer } of await Promise.all(tries)) expect(answer.code).toBe(404)
    await site.context.db.deleteFrom('videos').where('id', '=', id).execute()
  })
})
