import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAuditEvents } from '#contract/studio/operators.ts'
import {
  addVideo,
  archiveVideo,
  editEpisode,
  editVideo,
  getStudioVideo,
  listStudioEpisodes,
  listStudioVideos,
  listLabels,
  setEpisodeTitles,
  reorderEpisodes,
  getStudioPlayback,
  publishVideo,
  removeEpisode,
  retryEpisode,
  scheduleVideo,
  unscheduleVideo,
} from '#contract/studio/videos.ts'
import { getVideo } from '#contract/catalog.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { catalogJobs } from '#server/features/catalog/catalog.ts'
import { reasonColumns, UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let site: TestSite
let studio: Visitor
let offset = 0

beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => new Date(Date.now() + offset) } })
  studio = (await signInOperator(site, 'editor')).studio
})
afterAll(() => site.close())

const begin = (title: string) => studio.callOk(addVideo, { body: { title } })
const codeOf = async (call: Promise<{ answer: { code: number } }>) => (await call).answer.code
const isSeen = async (id: string) => (await codeOf(site.visitor().call(getVideo, { query: { id } }))) === 200

describe('the list of videos', () => {
  it('includes drafts, and has the latest videos first, in pages', async () => {
    const ids = []
    for (const title of ['Paged one', 'Paged two', 'Paged three']) ids.unshift((await begin(title)).id)
    const query = { keyword: 'paged', limit: 2 }
    const first = await studio.callOk(listStudioVideos, { query })
    const cursor = first.next_cursor ?? ''
    const second = await studio.callOk(listStudioVideos, { query: { ...query, cursor } })
    expect([...first.list, ...second.list].map(({ id }) => id)).toEqual(ids)
    expect(second.next_cursor).toBeNull()
    const other = await studio.call(listStudioVideos, { query: { keyword: 'other', cursor } })
    expect(other.status).toBe(400)
  })

  it('can be filtered by the beginnings of a title’s words in any language, ignoring accents, and by state', async () => {
    const { id } = await begin('The lighthouse keeper')
    await studio.callOk(editVideo, { body: { id, titles: { fy: 'L’été du phare' } } })
    const searchVideos = async (keyword: string) =>
      (await studio.callOk(listStudioVideos, { query: { keyword } })).list.map((row) => row.id)
    expect(await searchVideos('light keep')).toEqual([id])
    expect(await searchVideos('ete PHARE')).toEqual([id])
    expect(await searchVideos('keeper of nothing')).toEqual([])
    expect(await searchVideos('!?')).toEqual([])
    const inState = await studio.callOk(listStudioVideos, { query: { keyword: 'light', state: 'published' } })
    expect(inState.list).toEqual([])
  })

  it('has only titles with a word that begins with the keyword, even if the keyword is the code of a language', async () => {
    const [enough, esel] = [(await begin('Zero enough')).id, (await begin('Zero esel')).id]
    await begin('Zero')
    const searchVideos = async (keyword: string) =>
      (await studio.callOk(listStudioVideos, { query: { keyword: `zero ${keyword}` } })).list.map(
        ({ id }) => id,
      )
    expect(await searchVideos('e')).toEqual([esel, enough])
    expect(await searchVideos('en')).toEqual([enough])
    expect(await searchVideos('es')).toEqual([esel])
    expect(await searchVideos('pt')).toEqual([])
  })

  it('has the number of episodes whose file could not be converted', async () => {
    const { id, episodes } = await buildVideo(site.context, { title: 'Half broken', ready: 5 })
    await fail(episodes[5]?.id ?? '')
    const { list } = await studio.callOk(listStudioVideos, { query: { keyword: 'half broken' } })
    expect(list).toMatchObject([{ id, failed_count: 1, episode_count: 6 }])
  })
})

describe('editing a video', () => {
  it('changes only the given fields, and the audit log has only the changed fields', async () => {
    const { id } = await begin('Salt')
    const body = { id, titles: { es: ' Sal ' }, synopses: { en: 'Two sisters.' }, tags: ['Sea', 'Slow burn'] }
    await studio.callOk(editVideo, { body: { ...body, category: 'Family drama', episode_cents: 149 } })
    const video = await studio.callOk(editVideo, {
      body: { id, badge: 'hot', featured: true, free_episodes: 5 },
    })
    expect(video).toMatchObject({
      titles: { en: 'Salt', es: 'Sal' },
      synopses: { en: 'Two sisters.' },
      tags: [
        { slug: 'sea', name: 'Sea' },
        { slug: 'slow-burn', name: 'Slow burn' },
      ],
      category: { slug: 'family-drama', name: 'Family drama' },
      price: { episode_cents: 149, currency: 'USD' },
      badge: 'hot',
      featured: true,
      free_episodes: 5,
    })
    const owner = await signInOperator(site, 'owner')
    const [auditEvent] = (await owner.studio.callOk(listAuditEvents, { query: { subject: id } })).list
    expect(auditEvent).toMatchObject({
      event: 'studio video edit',
      details: {
        before: { badge: null, featured: false, free_episodes: 3 },
        after: { badge: 'hot', featured: true, free_episodes: 5 },
      },
    })
    const { categories } = await studio.callOk(listLabels)
    expect(categories).toContainEqual({ slug: 'family-drama', name: 'Family drama' })
  })

  it('removes the text of a language if the new text is empty, but never the English title', async () => {
    const { id } = await begin('Tide')
    await studio.callOk(editVideo, { body: { id, titles: { pt: 'Maré' } } })
    expect((await studio.callOk(editVideo, { body: { id, titles: { pt: '' } } })).titles).toEqual({
      en: 'Tide',
    })
    const without = await studio.call(editVideo, { body: { id, titles: { en: ' ' } } })
    expect(without.answer).toMatchObject({ code: 500, info: { field: 'titles.en' } })
    expect((await studio.callOk(getStudioVideo, { query: { id } })).titles).toEqual({ en: 'Tide' })
  })

  it.each([
    [{ titles: { dy: 'x'.repeat(201) } }, 'titles.dy'],
    [{ synopses: { en: 'x'.repeat(2001) } }, 'synopses.en'],
    [{ episode_cents: 0 }, 'episode_cents'],
    [{ currency: 'DUCATS' }, 'currency'],
    [{ tags: ['???'] }, 'tags'],
  ])('is refused, with the name of the invalid field: %j', async (edits, field) => {
    const { id } = await begin('Wrong')
    const { answer } = await studio.call(editVideo, { body: { id, ...edits } })
    expect(answer).toMatchObject({ code: 500, info: { field } })
  })

  it('shows the values that a draft inherited from the previous video, until an operator changes them', async () => {
    const { id: before } = await begin('Night train')
    const prices = { episode_cents: 199, video_cents: 2999, free_episodes: 4 }
    await studio.callOk(editVideo, { body: { id: before, ...prices } })
    const { id } = await begin('Deep water')
    const inherited = async () => (await studio.callOk(getStudioVideo, { query: { id } })).inherited
    expect(await inherited()).toEqual({ fields: ['price', 'free_episodes'], from: { en: 'Night train' } })
    // The form in the studio sends all of its fields.
    await studio.callOk(editVideo, { body: { id, ...prices, category: 'Drama' } })
    await studio.callOk(editVideo, { body: { id: before, episode_cents: 99 } })
    expect(await inherited()).toMatchObject({ fields: ['price', 'free_episodes'] })
    await studio.callOk(editVideo, { body: { id, video_cents: 1999 } })
    expect(await inherited()).toMatchObject({ fields: ['free_episodes'] })
    await studio.callOk(editVideo, { body: { id, video_cents: 2999 } })
    expect(await inherited()).toMatchObject({ fields: ['free_episodes'] })
    await studio.callOk(editVideo, { body: { id, free_episodes: 2 } })
    expect(await inherited()).toBeNull()
    const { id: built } = await buildVideo(site.context)
    expect((await studio.callOk(getStudioVideo, { query: { id: built } })).inherited).toBeNull()
  })

  it('gives videos with the same title different addresses, and copies the latest prices to a new video', async () => {
    const one = await begin('Twin Peaks!')
    await studio.callOk(editVideo, { body: { id: one.id, currency: 'EUR', video_cents: 1299 } })
    const two = await begin('Twin peaks')
    expect([one.slug, two.slug]).toEqual(['twin-peaks', 'twin-peaks-2'])
    expect(two.price).toMatchObject({ currency: 'EUR', video_cents: 1299 })
    expect((await begin('第一集')).slug).toMatch(/^[\da-f]{12}$/)
  })

  it('numbers the addresses of twenty videos with the same title, and gives further ones a random address', async () => {
    const slugs: string[] = []
    for (let count = 1; count <= 22; count++) slugs.push((await begin('Triplets')).slug)
    expect(slugs.slice(0, 3)).toEqual(['triplets', 'triplets-2', 'triplets-3'])
    expect(slugs[19]).toBe('triplets-20')
    for (const slug of slugs.slice(20)) expect(slug).toMatch(/^triplets-[\da-f]{12}$/)
    expect(new Set(slugs).size).toBe(22)
  })
})

describe('the warnings of a video', () => {
  it('name an episode that costs more than the whole video, and a video whose episodes are all free', async () => {
    const { id } = await begin('Odd')
    const edited = (body: object) => studio.callOk(editVideo, { body: { id, ...body } })
    expect((await edited({ episode_cents: 1000, video_cents: 999 })).warnings).toEqual([
      'episodePriceAboveVideo',
    ])
    expect((await edited({ episode_cents: 999, video_cents: 999 })).warnings).toEqual([])
    await site.context.db.updateTable('videos').set({ episode_count: 3 }).where('id', '=', id).execute()
    expect((await edited({ free_episodes: 4 })).warnings).toEqual(['allEpisodesFree'])
    expect((await edited({ free_episodes: 2 })).warnings).toEqual([])
  })

  it('name a category and tags that lack a name in a language of the site', async () => {
    const { id } = await begin('Unnamed')
    const body = { id, category: 'Nobody named it', tags: ['Nor this'] }
    const { category } = await studio.callOk(editVideo, { body })
    const loadWarnings = async () => (await studio.callOk(getStudioVideo, { query: { id } })).warnings
    expect(await loadWarnings()).toEqual(['categoryUntranslated', 'tagsUntranslated'])
    const names = JSON.stringify({ en: 'a', es: 'b', fy: 'c', dy: 'd', pt: 'e' })
    await site.context.db
      .updateTable('categories')
      .set({ names })
      .where('slug', '=', category?.slug ?? '')
      .execute()
    expect(await loadWarnings()).toEqual(['tagsUntranslated'])
  })
})

describe('a video', () => {
  const state = async (id: string) => (await studio.callOk(getStudioVideo, { query: { id } })).state
  const draft = () => buildVideo(site.context, { state: 'draft' })

  it('is published, archived, and published again with its first release date', async () => {
    const { id } = await draft()
    expect(await isSeen(id)).toBe(false)
    const { released_at } = await studio.callOk(publishVideo, { body: { id } })
    expect(await isSeen(id)).toBe(true)
    await studio.callOk(archiveVideo, { body: { id } })
    const again = await studio.callOk(publishVideo, { body: { id } })
    expect(again).toMatchObject({ state: 'published', released_at })
  })

  it('is published when it is due, and not earlier', async () => {
    const { id } = await draft()
    const at = new Date(Date.now() + 3_600_000).toISOString()
    await studio.callOk(scheduleVideo, { body: { id, at } })
    await release()
    expect([await state(id), await isSeen(id)]).toEqual(['scheduled', false])
    offset = 3_700_000
    await release()
    offset = 0
    expect([await state(id), await isSeen(id)]).toEqual(['published', true])
    expect((await studio.callOk(getStudioVideo, { query: { id } })).released_at).toBe(at)
  })

  it('can be unscheduled, which makes it a draft again', async () => {
    const { id } = await draft()
    await studio.callOk(scheduleVideo, { body: { id, at: new Date(Date.now() + 60_000).toISOString() } })
    expect((await studio.callOk(unscheduleVideo, { body: { id } })).released_at).toBeNull()
    offset = 120_000
    await release()
    offset = 0
    expect(await state(id)).toBe('draft')
  })

  it('is scheduled if it is published without a ready episode', async () => {
    const { id } = await buildVideo(site.context, { state: 'draft', ready: 0 })
    expect(await studio.callOk(publishVideo, { body: { id } })).toMatchObject({
      state: 'scheduled',
      released_at: null,
    })
    expect(await isSeen(id)).toBe(false)
  })

  it('refuses invalid transitions', async () => {
    const { id } = await draft()
    const body = { id }
    expect(await codeOf(studio.call(archiveVideo, { body }))).toBe(409)
    expect(await codeOf(studio.call(unscheduleVideo, { body }))).toBe(409)
    const at = new Date(Date.now() - 1000).toISOString()
    expect(await codeOf(studio.call(scheduleVideo, { body: { id, at } }))).toBe(500)
    await studio.callOk(publishVideo, { body })
    expect(await codeOf(studio.call(publishVideo, { body }))).toBe(409)
    const later = new Date(Date.now() + 60_000).toISOString()
    expect(await codeOf(studio.call(scheduleVideo, { body: { id, at: later } }))).toBe(409)
    const empty = await begin('Nothing in it')
    expect(await codeOf(studio.call(publishVideo, { body: { id: empty.id } }))).toBe(409)
    expect(await codeOf(studio.call(publishVideo, { body: { id: 'vid_none' } }))).toBe(404)
  })
})

describe('the episodes of a video', () => {
  it('are reordered, and the number of a missing episode remains free for a file that is uploaded later', async () => {
    const { id, episodes } = await buildVideo(site.context, { episodes: 5 })
    const [first, second, third, fourth, fifth] = episodes.map((episode) => episode.id)
    await site.context.db
      .deleteFrom('episodes')
      .where('id', '=', third ?? '')
      .execute()
    const order = [second, first, fifth, fourth].flatMap((each) => each ?? [])
    const { list } = await studio.callOk(reorderEpisodes, { body: { video_id: id, episode_ids: order } })
    expect(list.map((episode) => [episode.id, episode.number])).toEqual(
      order.map((each, at) => [each, [1, 2, 4, 5][at]]),
    )
  })

  it('are renumbered in the given order only if the order lists all of them', async () => {
    const { id, episodes } = await buildVideo(site.context, { episodes: 4 })
    const ids = episodes.map((episode) => episode.id).toReversed()
    const { list } = await studio.callOk(reorderEpisodes, { body: { video_id: id, episode_ids: ids } })
    expect(list.map((episode) => [episode.id, episode.number])).toEqual(ids.map((each, at) => [each, at + 1]))
    for (const wrong of [ids.slice(1), [...ids.slice(1), ids[1] ?? ''], [...ids, 'ep_none']])
      expect(await codeOf(studio.call(reorderEpisodes, { body: { video_id: id, episode_ids: wrong } }))).toBe(
        409,
      )
  })

  it('have titles in each language', async () => {
    const { episodes } = await buildVideo(site.context, { episodes: 1 })
    const id = episodes[0]?.id ?? ''
    const { titles } = await studio.callOk(editEpisode, {
      body: { id, titles: { en: 'Pilot', dy: 'Auftakt' } },
    })
    expect(titles).toEqual({ en: 'Pilot', dy: 'Auftakt' })
  })

  it('are renamed in one call with one audit entry, and a repeated call adds none', async () => {
    const { id, episodes } = await buildVideo(site.context, { episodes: 3 })
    const [first, second] = episodes.map((episode) => episode.id)
    await studio.callOk(editEpisode, { body: { id: first ?? '', titles: { en: 'Pilot', dy: 'Auftakt' } } })
    const named = [
      { id: first ?? '', titles: { en: ' Tide ' } },
      { id: second ?? '', titles: { en: 'Ebb' } },
    ]
    const name = (episodes: object[]) =>
      studio.call(setEpisodeTitles, { body: { video_id: id, episodes: episodes as typeof named } })
    expect((await name(named)).answer.code).toBe(200)
    expect((await name(named)).answer.code).toBe(200)
    const { list } = await studio.callOk(listStudioEpisodes, { query: { video_id: id } })
    expect(list.map(({ titles }) => titles.en)).toEqual(['Tide', 'Ebb', undefined])
    const owner = (await signInOperator(site, 'owner')).studio
    const lines = (await owner.callOk(listAuditEvents, { query: { subject: id } })).list
    expect(lines.map(({ event, details }) => [event, details])).toEqual([
      [
        'studio episode set-titles',
        {
          before: { 1: { en: 'Pilot', dy: 'Auftakt' }, 2: {} },
          after: { 1: { en: 'Tide', dy: 'Auftakt' }, 2: { en: 'Ebb' } },
        },
      ],
    ])
    const { episodes: foreign } = await buildVideo(site.context, { episodes: 1 })
    expect((await name([...named, { id: foreign[0]?.id, titles: {} }])).answer.code).toBe(409)
    expect((await name([{ id: first, titles: { en: 'x'.repeat(201) } }])).answer.code).toBe(500)
    const twice = [
      { id: first, titles: { en: 'Flood' } },
      { id: first, titles: { en: 'Neap' } },
    ]
    expect((await name(twice)).answer.code).toBe(409)
    for (const episodes of [[], Array.from({ length: 501 }, () => named[0] ?? {})])
      expect((await name(episodes)).answer.code).toBe(400)
  })

  it('of a draft play only for operators', async () => {
    const { episodes } = await buildVideo(site.context, { episodes: 1, freeEpisodes: 0, state: 'draft' })
    const id = episodes[0]?.id ?? ''
    const captions = JSON.stringify([{ lang: 'dy' }])
    await site.context.database.pool.query(
      'UPDATE assets SET captions = $1 WHERE id = (SELECT asset_id FROM episodes WHERE id = $2)',
      [captions, id],
    )
    const played = await studio.callOk(getStudioPlayback, { query: { id } })
    const { hls_url } = played
    expect(played.captions).toEqual([{ lang: 'dy', url: hls_url.replace('master.m3u8', 'captions/dy.vtt') }])
    expect((await studio.fetch(hls_url)).status).toBe(200)
    const forged = hls_url.replace('.studio.', '.anybody.')
    expect((await studio.fetch(forged)).status).toBe(403)
  })

  it('show the omitted parts of a file', async () => {
    const { id, episodes } = await buildVideo(site.context, { episodes: 1, state: 'draft' })
    await site.context.database.pool.query(
      'UPDATE assets SET notes = $1, captions = $2 WHERE id = (SELECT asset_id FROM episodes WHERE id = $3)',
      [
        JSON.stringify([{ key: 'soundTracks', tracks: '2' }]),
        JSON.stringify([{ lang: 'dy', hash: 'x', omittedLine: 7 }]),
        episodes[0]?.id,
      ],
    )
    const headers = { 'accept-language': 'de' }
    const { list } = await studio.callOk(listStudioEpisodes, { query: { video_id: id }, headers })
    expect(list[0]?.notes).toEqual([
      '01.mp4 hat Ton, der nicht gelesen werden kann (Spur 2): Eine andere Spur wird verwendet',
      '01.mp4 hat Untertitel auf Deutsch, deren Zeiten unbrauchbar sind (zuerst in Zeile 7): Sie werden weggelassen',
    ])
    expect(await runStudioCommand(site.context, ['episode', 'list', id])).toContain(
      'audio that can’t be read',
    )
  })

  it('show the reason of a failure, and can then be retried or removed', async () => {
    const { id, episodes } = await buildVideo(site.context, { episodes: 2, ready: 1, state: 'draft' })
    const [playing, failed] = episodes.map((episode) => episode.id)
    await fail(failed ?? '')
    const listEpisodes = async (headers = {}) =>
      (await studio.callOk(listStudioEpisodes, { query: { video_id: id }, headers })).list
    const reason = '01.mp4 is cut off after 3.5 s of 10 s'
    expect((await listEpisodes())[1]).toMatchObject({ state: 'failed', playable: false, reason })
    const [, inGerman] = await listEpisodes({ 'accept-language': 'de' })
    expect(inGerman?.reason).toBe('01.mp4 bricht nach 3,5 s von 10 s ab')
    expect(await runStudioCommand(site.context, ['episode', 'list', id])).toContain(reason)
    const retried = await studio.callOk(retryEpisode, { body: { id: failed ?? '' } })
    expect(retried).toMatchObject({ state: 'queued', reason: null })
    expect(await codeOf(studio.call(retryEpisode, { body: { id: failed ?? '' } }))).toBe(409)
    expect(await codeOf(studio.call(removeEpisode, { body: { id: playing ?? '' } }))).toBe(409)
    await studio.callOk(removeEpisode, { body: { id: failed ?? '' } })
    expect((await listEpisodes()).map((episode) => episode.id)).toEqual([playing])
  })
})

it('the command line adds, lists and edits a video, and reports mistakes', async () => {
  const run = (...args: string[]) => runStudioCommand(site.context, args)
  expect(await run('video', 'add', 'By hand')).toContain('state: draft')
  const [, row = ''] = (await run('video', 'list', '--keyword', 'by hand')).split('\n')
  const [id = ''] = row.split('  ')
  expect(
    await run('video', 'edit', id, '--titles.es', 'A mano', '--tags', 'sea', '--tags', 'sand'),
  ).toContain('"es":"A mano"')
  await expect(run('video', 'edit', id, '--titles.xx', 'A mano')).rejects.toThrow(/titles\.xx/)
  await expect(run('video', 'publish', id)).rejects.toThrow(/no episodes yet/)
})

async function release(): Promise<void> {
  for (const { name, run } of catalogJobs(site.context))
    if (name === 'publish-scheduled-videos') await run(new AbortController().signal)
}

/** Marks an episode's file as unusable, as the worker does. */
async function fail(episodeId: string): Promise<void> {
  const cutOff = new UnusableFile({ key: 'cutOff', made: 3.5, declared: 10 })
  await site.context.db
    .updateTable('assets')
    .set({ state: 'failed', ...reasonColumns(cutOff), original_path: 'originals/gone.mp4' })
    .where((eb) =>
      eb('id', '=', eb.selectFrom('episodes').select('next_asset_id').where('id', '=', episodeId)),
    )
    .execute()
}
