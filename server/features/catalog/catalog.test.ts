import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { getHomepage, getVideo, queryHomepage } from '#contract/catalog.ts'
import { buildCategory, buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { advancingClock } from '#server/testing/fakes/advancing-clock.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let category: string
const videos: BuiltVideo[] = []

beforeAll(async () => {
  site = await startTestSite({ clock: advancingClock() })
  category = await buildCategory(site.context.db, 'Thrillers')
  for (let day = 1; day <= 25; day++) {
    const releasedAt = new Date(Date.UTC(2026, 0, day))
    videos.push(
      await buildVideo(site.context, {
        title: `Night ${day}`,
        releasedAt,
        featured: day > 23,
        categoryId: day > 20 ? category : null,
      }),
    )
  }
  await buildVideo(site.context, { title: 'Unfinished', state: 'draft' })
})
afterAll(() => site.close())

const newestFirst = () => videos.map(({ id }) => id).toReversed()

describe('the homepage', () => {
  it('has the menu, and the non-empty sections in order', async () => {
    const { homepage, menu, pay_theme } = await site.visitor().callOk(getHomepage)
    expect(homepage.map(({ kind }) => kind)).toEqual(['carousel', 'row', 'grid'])
    expect(homepage[0]?.items.map(({ id }) => id)).toEqual(newestFirst().slice(0, 2))
    expect(menu).toEqual([{ id: category, name: 'Thrillers' }])
    expect(pay_theme.accent).toMatch(/^#/)
  })

  it('has its texts in the requested language', async () => {
    const { homepage } = await site.visitor({ 'accept-language': 'de-AT,en;q=0.5' }).callOk(getHomepage)
    expect(homepage[1]?.title).toBe('Neu diese Woche')
  })

  it('has truncated sections that continue on their own page', async () => {
    const { homepage } = await site.visitor().callOk(getHomepage)
    const row = homepage[1]
    expect(row).toMatchObject({ has_more: true })
    const more = await site.visitor().callOk(queryHomepage, { query: { section: row?.id ?? '' } })
    expect(more.title).toBe(row?.title)
    // The carousel has already shown the first two videos.
    expect(more.list.slice(2, 14).map(({ id }) => id)).toEqual(row?.items.map(({ id }) => id))
  })

  it('omits the carousel’s videos from the row of newest videos below it', async () => {
    const { homepage } = await site.visitor().callOk(getHomepage)
    const [carousel, row] = homepage.map(({ items }) => items.map(({ id }) => id))
    expect(carousel).toHaveLength(2)
    expect(row).toHaveLength(12)
    expect(row?.filter((id) => carousel?.includes(id))).toEqual([])
  })

  /** Sets the plays of these videos during a call; the first video has the most plays. */
  async function withPlays<T>(played: readonly BuiltVideo[], ask: () => Promise<T>): Promise<T> {
    const setPlays = (id: string, play_count: number) =>
      site.context.db
        .updateTable('videos')
        .set({ play_count, popularity: play_count })
        .where('id', '=', id)
        .execute()
    for (const [at, { id }] of played.entries()) await setPlays(id, played.length - at)
    try {
      return await ask()
    } finally {
      for (const { id } of played) await setPlays(id, 0)
    }
  }

  it('ranks only videos that were played', async () => {
    const played = videos.slice(3, 4)
    const { homepage } = await withPlays(played, () => site.visitor().callOk(getHomepage))
    const ranking = homepage.find(({ kind }) => kind === 'ranking')
    expect(ranking?.items.map(({ id }) => id)).toEqual(played.map(({ id }) => id))
  })

  it('shows no video in more than two sections, and ranks the most watched videos', async () => {
    const played = videos.slice(-4)
    const { homepage } = await withPlays(played, () => site.visitor().callOk(getHomepage))
    const [carousel, row, ranking, grid] = homepage.map(({ items }) => items.map(({ id }) => id))
    expect(ranking).toEqual(played.map(({ id }) => id))
    // Both videos of the carousel are among the most watched.
    expect(ranking).toEqual(expect.arrayContaining(carousel ?? []))
    expect(row?.filter((id) => ranking?.includes(id))).toEqual([])
    expect(grid).toEqual(newestFirst().slice(2, 14))
    expect(homepage.at(-1)).toMatchObject({ kind: 'grid', has_more: true })
  })

  it('leaves out the row of newest videos if it has only two, because the grid shows them too', async () => {
    const [played, others] = [videos.slice(-10), videos.slice(0, -12)]
    const setState = (state: 'archived' | 'published') =>
      site.context.db
        .updateTable('videos')
        .set({ state })
        .where(
          'id',
          'in',
          others.map(({ id }) => id),
        )
        .execute()
    await setState('archived')
    onTestFinished(async () => void (await setState('published')))
    const { homepage } = await withPlays(played, () => site.visitor().callOk(getHomepage))
    expect(homepage.map(({ kind }) => kind)).toEqual(['carousel', 'ranking', 'grid'])
    expect(homepage.at(-1)?.items.map(({ id }) => id)).toEqual(newestFirst().slice(2, 12))
  })

  it('includes the synopses of the videos in its carousel', async () => {
    const { homepage } = await site.visitor().callOk(getHomepage)
    const [first] = homepage[0]?.items ?? []
    const { synopsis } = await site.visitor().callOk(getVideo, { query: { id: first?.id ?? '' } })
    expect(synopsis).not.toBe('')
    expect(first?.synopsis).toBe(synopsis)
  })
})

it('a video is marked as hot only after it was played', async () => {
  const { db } = site.context
  const { id } = await buildVideo(site.context, { title: 'Hot' })
  const change = (values: object) => db.updateTable('videos').set(values).where('id', '=', id).execute()
  const badge = async () => (await site.visitor().callOk(getVideo, { query: { id } })).badge
  await change({ badge: 'hot' })
  expect(await badge()).toBeNull()
  await change({ play_count: 1 })
  expect(await badge()).toBe('hot')
  await change({ state: 'archived' })
})

describe('a listing', () => {
  it('returns each published video once, page by page, even while new videos are added', async () => {
    const visitor = site.visitor()
    const first = await visitor.callOk(queryHomepage, { query: { limit: 10 } })
    const late = await buildVideo(site.context, { title: 'Late', releasedAt: new Date(Date.UTC(2026, 1, 1)) })
    const second = await visitor.callOk(queryHomepage, {
      query: { limit: 10, cursor: first.next_cursor ?? '' },
    })
    const third = await visitor.callOk(queryHomepage, {
      query: { limit: 10, cursor: second.next_cursor ?? '' },
    })
    expect([...first.list, ...second.list, ...third.list].map(({ id }) => id)).toEqual(newestFirst())
    expect(third.next_cursor).toBeNull()
    await site.context.db.updateTable('videos').set({ state: 'archived' }).where('id', '=', late.id).execute()
  })

  it('can be limited to a category or to matches of a keyword', async () => {
    const inMenu = await site.visitor().callOk(queryHomepage, { query: { menu: category } })
    const found = await site.visitor().callOk(queryHomepage, { query: { keyword: '%_!' } })
    const exact = await site.visitor().callOk(queryHomepage, { query: { keyword: 'Night 17' } })
    expect(inMenu).toMatchObject({ title: 'Thrillers' })
    expect(inMenu.list).toHaveLength(5)
    expect(found.list).toEqual([])
    expect(exact.list.map(({ id }) => id)).toEqual([videos[16]?.id])
  })

  it('returns 404 if the section is unknown, and refuses the cursor of another list', async () => {
    const unknown = await site.visitor().call(queryHomepage, { query: { section: 'sec_none' } })
    const { next_cursor } = await site.visitor().callOk(queryHomepage, { query: { limit: 5 } })
    const foreign = await site
      .visitor()
      .call(queryHomepage, { query: { menu: category, cursor: next_cursor ?? '' } })
    expect([unknown.answer.code, foreign.status]).toEqual([404, 400])
  })
})

describe('a video', () => {
  it('includes its price and similar videos', async () => {
    const id = videos[24]?.id ?? ''
    const video = await site.visitor().callOk(getVideo, { query: { id } })
    expect(video).toMatchObject({
      id,
      title: 'Night 25',
      episode_count: 6,
      free_episodes: 3,
      favorite: false,
      resume: null,
    })
    expect(video.price).toEqual({ episode_cents: 99, video_cents: 999, currency: 'USD' })
    expect(video.related.length).toBeGreaterThan(3)
    expect(video.related.map((card) => card.id)).not.toContain(id)
  })

  it('is not found if its id is unknown or it is a draft', async () => {
    const draft = await buildVideo(site.context, { state: 'draft' })
    for (const id of ['vid_unknown', draft.id]) {
      expect((await site.visitor().call(getVideo, { query: { id } })).answer.code).toBe(404)
    }
  })
})
