import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { getHomepage, getVideo, listTags, queryHomepage } from '#contract/catalog.ts'
import type { QueryOf } from '#contract/endpoint.ts'
import { saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { updateNextWatched } from '#server/features/library/update-next-watched.ts'
import { newId } from '#server/platform/ids.ts'
import { buildTag, buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { advancingClock } from '#server/testing/fakes/advancing-clock.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { moveToTiers, selectTierMoves, tierSizes } from '#server/features/catalog/ranking/rank-queries.ts'
import type { SectionSource } from '#server/features/catalog/tables.ts'
import { refreshRanks, assignAllTiers } from '#server/features/catalog/ranking/refresh-ranks.ts'

let site: TestSite
let tag: string

beforeAll(async () => {
  site = await startTestSite({ clock: advancingClock() })
})
afterAll(() => site.close())

const db = () => site.context.db
const day = (number: number) => new Date(Date.UTC(2026, 0, number))

const tagWith = (video: BuiltVideo, tagId: string) =>
  db().insertInto('video_tags').values({ video_id: video.id, tag_id: tagId, position: 0 }).execute()

const play = (video: BuiltVideo, times: number) =>
  db()
    .updateTable('videos')
    .set((eb) => ({ play_count: eb('play_count', '+', times) }))
    .where('id', '=', video.id)
    .execute()

const archive = (video: BuiltVideo) =>
  db().updateTable('videos').set({ state: 'archived' }).where('id', '=', video.id).execute()

async function buildTagged(title: string, releasedAt: Date, plays = 0): Promise<BuiltVideo> {
  const video = await buildVideo(site.context, { title, releasedAt, episodes: 1 })
  await tagWith(video, tag)
  if (plays > 0) await play(video, plays)
  return video
}

const list = async (query: QueryOf<typeof queryHomepage>) => {
  const page = await site.visitor().callOk(queryHomepage, { query })
  return { ids: page.list.map(({ id }) => id), next: page.next_cursor }
}

/** Reads all pages, and calls `meanwhile` after the first page. */
async function pages(
  query: QueryOf<typeof queryHomepage>,
  meanwhile: () => Promise<unknown>,
): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await list({ ...query, limit: 4, ...(cursor === undefined ? {} : { cursor }) })
    ids.push(...page.ids)
    if (cursor === undefined) await meanwhile()
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return ids
}

describe('a list that is paged while the catalogue changes', () => {
  let videos: BuiltVideo[]

  beforeEach(async () => {
    tag = await buildTag(db(), 'Harbour')
    videos = []
    for (let number = 1; number <= 10; number++)
      videos.push(await buildTagged(`Harbour ${number}`, day(number), number * 3))
    await refreshRanks(db(), new Date())
  })

  /**
   * Publishes a video, and archives two: one that was listed, and one that a later page would list. Then plays the last
   * video often.
   */
  const change = async () => {
    await buildTagged('Harbour 11', day(11))
    for (const index of [1, 9]) await archive(videos[index] ?? raise())
    await play(videos[0] ?? raise(), 500)
  }
  const raise = (): never => {
    throw new Error('a video is missing')
  }

  it.each([
    ['newest of a tag', (): QueryOf<typeof queryHomepage> => ({ tag, sort: 'newest' })],
    ['most popular of a tag', (): QueryOf<typeof queryHomepage> => ({ tag, sort: 'popular' })],
    ['most popular of all', (): QueryOf<typeof queryHomepage> => ({ sort: 'popular' })],
    ['search by relevance', (): QueryOf<typeof queryHomepage> => ({ keyword: 'harbour' })],
    ['search with a typo', (): QueryOf<typeof queryHomepage> => ({ keyword: 'harbuor' })],
    ['search by popularity', (): QueryOf<typeof queryHomepage> => ({ keyword: 'harbour', sort: 'popular' })],
    ['search by age', (): QueryOf<typeof queryHomepage> => ({ keyword: 'harbour', sort: 'newest' })],
  ])('has no video twice, and omits none that remains published: %s', async (_name, query) => {
    const seen = await pages(query(), change)
    const stayed = videos.filter((_video, index) => index !== 1 && index !== 9).map(({ id }) => id)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(stayed))
    expect(seen).not.toContain(videos[1]?.id)
  })

  it('orders the videos of a tag by age or popularity, as requested', async () => {
    const newestFirst = videos.map(({ id }) => id).toReversed()
    expect((await list({ tag })).ids).toEqual(newestFirst)
    await play(videos[2] ?? raise(), 1000)
    expect((await list({ tag, sort: 'popular' })).ids).toEqual(newestFirst)
    await refreshRanks(db(), new Date())
    expect((await list({ tag, sort: 'popular' })).ids[0]).toBe(videos[2]?.id)
  })

  it('refuses the cursor of another list, order or search, and returns 404 for an unknown id', async () => {
    const { next } = await list({ tag, limit: 2 })
    const cursor = next ?? ''
    for (const query of [
      { tag, sort: 'popular' },
      { keyword: 'harbour' },
      { keyword: 'other' },
      {},
    ] as const) {
      const { status } = await site.visitor().call(queryHomepage, { query: { ...query, cursor } })
      expect(status).toBe(400)
    }
    const search = await list({ keyword: 'harbour', limit: 2 })
    for (const query of [{ keyword: 'harbours' }, { keyword: 'harbour', sort: 'newest' }] as const) {
      const { status } = await site
        .visitor()
        .call(queryHomepage, { query: { ...query, cursor: search.next ?? '' } })
      expect(status).toBe(400)
    }
    for (const query of [{ tag: 'tag_none' }, { menu: 'cat_none' }, { section: 'sec_none' }])
      expect((await site.visitor().call(queryHomepage, { query })).answer.code).toBe(404)
    const foreign = await site.visitor().call(listTags, { query: { cursor } })
    expect(foreign.status).toBe(400)
  })

  it('has the same search results, however the videos are spread over the search tiers', async () => {
    const before = await list({ keyword: 'harbour' })
    await site.context.database.pool.query(`UPDATE video_search SET tier = ${tierSizes.length}`)
    expect((await list({ keyword: 'harbour' })).ids).toEqual(before.ids)
    await moveOne()
    expect(await countFirstTier()).toBe(1)
    await assignAllTiers(db(), new AbortController().signal, { found: 4, batch: 2 })
    expect(await countFirstTier()).toBeGreaterThan(2)
    expect(await list({ keyword: 'harbour' })).toEqual(before)
  })
})

it('videos are moved to the back tiers of the search before others are moved to the front tiers', async () => {
  const { pool } = site.context.database
  const back = await buildVideo(site.context, { state: 'draft' })
  const front = await buildVideo(site.context, { releasedAt: day(1) })
  const tierOf = async ({ id }: BuiltVideo) =>
    (await pool.query<{ tier: number }>('SELECT tier FROM video_search WHERE video_id = $1', [id])).rows[0]
      ?.tier
  await pool.query(`INSERT INTO video_search (video_id, released_at, words) VALUES ($1, now(), '')`, [
    back.id,
  ])
  await pool.query('UPDATE video_search SET tier = 1 WHERE video_id = $1', [front.id])
  await moveOne()
  expect([await tierOf(back), await tierOf(front)]).toEqual([tierSizes.length, 1])
  await moveOne()
  expect(await tierOf(front)).toBe(0)
})

it('the videos that must move to another search tier are found once for several batches', async () => {
  for (let number = 1; number <= 5; number++) await buildVideo(site.context, { releasedAt: day(number) })
  const { database } = site.context
  await assignAllTiers(db(), new AbortController().signal)
  await database.pool.query(
    'UPDATE video_search SET tier = 3 WHERE video_id IN (SELECT video_id FROM video_search WHERE tier = 0 LIMIT 5)',
  )
  const stopped = new AbortController()
  stopped.abort()
  await assignAllTiers(db(), stopped.signal, { batch: 2 })
  expect(await countTier(3)).toBe(5)
  const statements = await queryPlans(database, (each) =>
    assignAllTiers(each, new AbortController().signal, { batch: 2 }),
  )
  expect(statements.map(({ sql }) => /row_number|UPDATE/.exec(sql)?.[0])).toEqual([
    'row_number',
    'UPDATE',
    'UPDATE',
    'UPDATE',
  ])
  expect(await countTier(3)).toBe(0)
})

/** Moves the video that must be moved first. */
async function moveOne(): Promise<void> {
  const moves = await selectTierMoves(db(), 1)
  await db()
    .transaction()
    .execute((tx) => moveToTiers(tx, moves))
}

const countFirstTier = () => countTier(0)

/** Counts the videos in a tier of the search. */
async function countTier(tier: number): Promise<number> {
  const { rows } = await site.context.database.pool.query('SELECT FROM video_search WHERE tier = $1', [tier])
  return rows.length
}

describe('hand-picked videos', () => {
  it("are in the operator's order, page by page", async () => {
    const picked = []
    for (const number of [3, 1, 2, 5, 4])
      picked.push(await buildVideo(site.context, { releasedAt: day(number) }))
    const rows = await db()
      .selectFrom('videos')
      .select(['id', 'slug'])
      .where(
        'id',
        'in',
        picked.map(({ id }) => id),
      )
      .execute()
    const slugs = picked.map(({ id }) => rows.find((row) => row.id === id)?.slug ?? '')
    const section = newId('sec')
    const source = JSON.stringify({ type: 'videos', slugs })
    await db()
      .insertInto('sections')
      .values({ id: section, kind: 'row', titles: JSON.stringify({ en: 'Picked' }), source, position: 9 })
      .execute()
    expect(await pages({ section }, async () => {})).toEqual(picked.map(({ id }) => id))
  })
})

describe('the tags', () => {
  const tags = async () => (await site.visitor().callOk(listTags, { query: { limit: 50 } })).list

  it('count only published videos after every kind of change', async () => {
    tag = await buildTag(db(), 'Counted')
    const count = async () => (await tags()).find(({ id }) => id === tag)?.video_count
    expect(await count()).toBeUndefined()
    const one = await buildTagged('One', day(1))
    const two = await buildTagged('Two', day(2))
    const draft = await buildVideo(site.context, { state: 'draft' })
    await tagWith(draft, tag)
    expect(await count()).toBe(2)
    await archive(one)
    expect(await count()).toBe(1)
    await db()
      .updateTable('videos')
      .set({ state: 'published' })
      .where('id', 'in', [one.id, draft.id])
      .execute()
    expect(await count()).toBe(3)
    await db().deleteFrom('video_tags').where('video_id', '=', two.id).execute()
    expect(await count()).toBe(2)
  })

  it('are ordered by their plays, and older plays count less', async () => {
    const [old, fresh] = [await buildTag(db(), 'Old'), await buildTag(db(), 'Fresh')]
    tag = old
    const first = await buildTagged('Old favourite', day(1))
    tag = fresh
    const second = await buildTagged('Fresh favourite', day(2))
    const now = Date.now()
    await play(first, 5000)
    await refreshRanks(db(), new Date(now))
    expect((await tags())[0]).toMatchObject({ id: old, trending: true })
    await play(second, 1000)
    await refreshRanks(db(), new Date(now + 40 * 86_400_000))
    const [top] = await tags()
    expect(top).toMatchObject({ id: fresh, trending: true })
    expect((await tags()).find(({ id }) => id === old)).toMatchObject({ trending: false })
  })

  it('have scores that decay once for the elapsed time, even if a run fails or two runs are concurrent', async () => {
    tag = await buildTag(db(), 'Fading')
    const now = Date.now() + 100 * 86_400_000
    await play(await buildTagged('Played', day(1)), 1000)
    await refreshRanks(db(), new Date(now))
    const scoreNow = async () => {
      const { rows } = await pool.query<{ trending_score: number }>(
        'SELECT trending_score FROM tags WHERE id = $1',
        [tag],
      )
      return rows[0]?.trending_score
    }
    const { pool } = site.context.database
    const before = await scoreNow()
    // The constraint makes the run fail after the scores have decayed, as if the process were killed.
    await pool.query("ALTER TABLE settings ADD CONSTRAINT killed CHECK (key <> 'tags_ranked') NOT VALID")
    await expect(refreshRanks(db(), new Date(now + 2 * 86_400_000))).rejects.toThrow('killed')
    await pool.query('ALTER TABLE settings DROP CONSTRAINT killed')
    expect(await scoreNow()).toBe(before)
    const later = new Date(now + 2 * 86_400_000)
    await Promise.all([refreshRanks(db(), later), refreshRanks(db(), later)])
    expect(await scoreNow()).toBeCloseTo((before ?? 0) / 2, 5)
  })

  /** Reads the tags in pages of two, and calls `meanwhile` after each page. */
  const readAllPages = async (meanwhile: (turn: number) => Promise<unknown>) => {
    const seen: string[] = []
    let cursor: string | undefined
    let turn = 0
    do {
      const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) }
      const page = await site.visitor().callOk(listTags, { query })
      seen.push(...page.list.map(({ id }) => id))
      cursor = page.next_cursor ?? undefined
      await meanwhile(++turn)
    } while (cursor !== undefined)
    return seen
  }

  it('are listed in pages, each tag once', async () => {
    expect(await readAllPages(async () => {})).toEqual((await tags()).map(({ id }) => id))
  })

  it.each([1, 2, 3])(
    'are each listed once, in the first page’s order, if they are ranked again after page %s',
    async (when) => {
      for (const number of [1, 2, 3, 4]) {
        tag = await buildTag(db(), `Ranked ${number}`)
        await buildTagged(`Ranked ${number}`, day(number))
      }
      await refreshRanks(db(), new Date())
      const before = (await tags()).map(({ id }) => id)
      const last = await buildTagged('Played', day(9))
      const seen = await readAllPages(async (turn) => {
        if (turn !== when) return
        await play(last, 10_000)
        await refreshRanks(db(), new Date())
      })
      expect(seen).toEqual(before)
      expect((await tags())[0]).toMatchObject({ id: tag })
    },
  )

  it('can be paged with a cursor that is older than the previous ranking', async () => {
    for (const number of [1, 2, 3]) {
      tag = await buildTag(db(), `Paged ${number}`)
      await buildTagged(`Paged ${number}`, day(number))
    }
    await refreshRanks(db(), new Date())
    const { next_cursor } = await site.visitor().callOk(listTags, { query: { limit: 2 } })
    for (let times = 0; times < 2; times++) await refreshRanks(db(), new Date())
    const query = { limit: 50, cursor: next_cursor ?? '' }
    const rest = (await site.visitor().callOk(listTags, { query })).list.map(({ id }) => id)
    expect(rest).toEqual((await tags()).slice(2).map(({ id }) => id))
  })
})

describe('recommendations', () => {
  const watch = async (visitor: ReturnType<TestSite['visitor']>, video: BuiltVideo, minute: number) => {
    await visitor.callOk(saveHistory, {
      body: {
        video_id: video.id,
        episode_id: video.episodes[0]?.id ?? '',
        position_ms: 1000,
        at: new Date(Date.UTC(2026, 1, 1, 12, minute)).toISOString(),
      },
    })
  }
  const related = async (video: BuiltVideo) =>
    (await site.visitor().callOk(getVideo, { query: { id: video.id } })).related.map(({ id }) => id)

  it('are first the videos that others watched next, then videos with common tags', async () => {
    tag = await buildTag(db(), 'Shared')
    const start = await buildTagged('Start', day(1))
    const tagged = await buildTagged('Tagged', day(1))
    const next = await buildVideo(site.context, { releasedAt: day(1) })
    const archived = await buildVideo(site.context, { releasedAt: day(1) })
    // Other videos fill the list.
    for (let count = 0; count < 10; count++) await buildVideo(site.context, { releasedAt: day(1) })
    expect((await related(start))[0]).toBe(tagged.id)
    for (let person = 0; person < 3; person++) {
      const visitor = site.visitor()
      await visitor.fetch('/api/user')
      await watch(visitor, start, 1)
      await watch(visitor, next, 2)
      await watch(visitor, archived, 3)
    }
    await archive(archived)
    await updateNextWatched(db(), new AbortController().signal)
    // Requests another language, because the first response is cached for a second.
    const fresh = await site
      .visitor({ 'accept-language': 'es' })
      .callOk(getVideo, { query: { id: start.id } })
    expect(fresh.related.map(({ id }) => id).slice(0, 2)).toEqual([next.id, tagged.id])
    expect(fresh.related).toHaveLength(12)
  })

  async function buildSection(kind: 'row' | 'carousel' = 'row'): Promise<string> {
    const id = newId('sec')
    const titles = JSON.stringify({ en: 'For you' })
    const source = JSON.stringify({ type: 'recommended' })
    await db().insertInto('sections').values({ id, kind, titles, source, position: 1 }).execute()
    return id
  }

  it('fill a section for viewers with a history, but contain no video that the viewer has watched', async () => {
    const section = await buildSection()
    tag = await buildTag(db(), 'Liked')
    const seen = await buildTagged('Seen', day(1))
    const alike = await buildTagged('Alike', day(1))
    const visitor = site.visitor({ 'accept-language': 'pt' })
    await visitor.fetch('/api/user')
    await watch(visitor, seen, 1)
    const home = await visitor.callOk(getHomepage)
    const own = home.homepage.find(({ id }) => id === section)
    expect(own?.items[0]?.id).toBe(alike.id)
    expect(own?.items.map(({ id }) => id)).not.toContain(seen.id)
    const page = await visitor.callOk(queryHomepage, { query: { section } })
    expect(page.list.map(({ id }) => id).slice(0, own?.items.length)).toEqual(own?.items.map(({ id }) => id))
    const other = await site.visitor({ 'accept-language': 'pt' }).callOk(getHomepage)
    expect(other.homepage.map(({ id }) => id)).not.toContain(section)
  })

  it('have a synopsis in a carousel', async () => {
    const section = await buildSection('carousel')
    tag = await buildTag(db(), 'Liked')
    const seen = await buildTagged('Seen', day(1))
    const { id } = await buildTagged('Alike', day(1))
    const synopses = JSON.stringify({ en: 'Two lighthouses.' })
    await db().updateTable('videos').set({ synopses }).where('id', '=', id).execute()
    const visitor = site.visitor({ 'accept-language': 'pt' })
    await visitor.fetch('/api/user')
    await watch(visitor, seen, 1)
    const { homepage } = await visitor.callOk(getHomepage)
    const items = homepage.find((each) => each.id === section)?.items
    expect(items?.find((item) => item.id === id)?.synopsis).toBe('Two lighthouses.')
  })

  /** Reads all pages of a list. After each page, calls `meanwhile` with all ids read until then. */
  async function readAllPages(
    visitor: ReturnType<TestSite['visitor']>,
    query: QueryOf<typeof queryHomepage>,
    meanwhile: (ids: readonly string[]) => Promise<unknown>,
  ): Promise<string[]> {
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const from = cursor === undefined ? {} : { cursor }
      const page = await visitor.callOk(queryHomepage, { query: { ...query, ...from } })
      ids.push(...page.list.map(({ id }) => id))
      cursor = page.next_cursor ?? undefined
      await meanwhile(ids)
    } while (cursor !== undefined)
    return ids
  }

  it('are listed in pages, each video once, whatever this viewer or others watch between two pages', async () => {
    const section = await buildSection()
    tag = await buildTag(db(), 'Turned')
    const videos: BuiltVideo[] = []
    for (let number = 1; number <= 12; number++)
      videos.push(await buildTagged(`Turned ${number}`, day(number)))
    const [first, second, ...others] = videos
    if (!first || !second) throw new Error('a video is missing')
    const visitor = site.visitor()
    await visitor.fetch('/api/user')
    await watch(visitor, first, 1)
    const { pool } = site.context.database
    const count = (video: BuiltVideo, viewers: number) =>
      pool.query(
        `INSERT INTO watched_next VALUES ($1, $2, $3)
         ON CONFLICT (video_id, next_id) DO UPDATE SET viewers = excluded.viewers`,
        [first.id, video.id, viewers],
      )
    for (const [index, video] of [second, ...others].entries()) await count(video, 100 - index)
    const all = await readAllPages(visitor, { section, limit: 50 }, async () => {})
    expect(all.slice(0, 2)).toEqual([second.id, others[0]?.id])
    let minute = 2
    const seen = await readAllPages(visitor, { section, limit: 3 }, async (ids) => {
      const [listed, further] = [videos.find(({ id }) => ids.includes(id)), others.at(-minute)]
      for (const video of [listed, further]) {
        if (!video) continue
        await count(video, minute % 2 ? 5000 : 1)
        await watch(visitor, video, ++minute)
      }
    })
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.toSorted()).toEqual(all.toSorted())
  })

  it('end before the cursor becomes too long for a URL', async () => {
    const section = await buildSection()
    const visitor = site.visitor()
    const { id: userId } = await visitor.callOk(getUser)
    await watch(visitor, await buildVideo(site.context, { releasedAt: day(1) }), 0)
    // The viewer has watched 49 of 350 videos. After each of the last five of these 49, other viewers watched 60
    // videos.
    await site.context.database.pool.query(`
      SET LOCAL session_replication_role = replica;
      CREATE TEMPORARY TABLE crowd ON COMMIT DROP AS SELECT n, 'vid_' || md5('crowd ' || n) AS id FROM generate_series(1, 350) n;
      INSERT INTO videos (id, slug, titles, synopses, state, free_episodes, currency, episode_cents, video_cents, released_at)
        SELECT id, id, '{"en": "Crowd"}', '{"en": "Crowd"}', 'published', 3, 'USD', 99, 999, '2026-01-01' FROM crowd;
      INSERT INTO watch_history (user_id, video_id, episode_id, position_ms, at)
        SELECT '${userId}', id, 'ep_any', 1, '2026-03-01'::timestamptz - n * interval '1 min' FROM crowd WHERE n < 50;
      INSERT INTO watched_next
        SELECT seed.id, next.id, 1000 - next.n FROM crowd seed JOIN crowd next ON next.n % 5 = seed.n % 5
        WHERE seed.n <= 5 AND next.n >= 50`)
    onTestFinished(async () => {
      // Without this, these videos would fill the front tiers of the search in later tests.
      await site.context.database.pool.query(`
        SET LOCAL session_replication_role = replica;
        DELETE FROM videos WHERE titles = '{"en": "Crowd"}'`)
    })
    const seen = await readAllPages(visitor, { section, limit: 20 }, async () => {})
    expect(seen).toHaveLength(200)
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('the available orders of a list', () => {
  async function sortsOf(source: SectionSource): Promise<{ id: string; sorts: string[] }> {
    const id = newId('sec')
    const [titles, from] = [JSON.stringify({ en: 'Rows' }), JSON.stringify(source)]
    await db().insertInto('sections').values({ id, kind: 'row', titles, source: from, position: 2 }).execute()
    const { sorts } = await site.visitor().callOk(queryHomepage, { query: { section: id } })
    return { id, sorts }
  }

  it.each([
    ['newest first', { type: 'newest' }, ['newest', 'popular']],
    ['most watched first', { type: 'popular' }, ['popular', 'newest']],
    ['of one category', { type: 'category', slug: 'none' }, ['newest', 'popular']],
    ['picked by the operator', { type: 'videos', slugs: ['none'] }, []],
    ['recommended', { type: 'recommended' }, []],
  ] satisfies [string, SectionSource, string[]][])(
    'depend on the source of a section’s videos: %s',
    async (_name, source, sorts) => {
      expect((await sortsOf(source)).sorts).toEqual(sorts)
    },
  )

  it('begin with relevance for a search', async () => {
    const { sorts } = await site.visitor().callOk(queryHomepage, { query: { keyword: 'harbour' } })
    expect(sorts).toEqual(['relevance', 'popular', 'newest'])
  })
})

describe('the homepage', () => {
  it('has the id of the recommendation section for every viewer, or null if there is no such section', async () => {
    await db().deleteFrom('sections').execute()
    const ask = async (language: string) =>
      (await site.visitor({ 'accept-language': language }).callOk(getHomepage)).feed
    expect(await ask('fy')).toBeNull()
    const row = { kind: 'row', titles: JSON.stringify({ en: 'For you' }) } as const
    const [newest, own] = [newId('sec'), newId('sec')]
    await db()
      .insertInto('sections')
      .values([
        { ...row, id: newest, source: JSON.stringify({ type: 'newest' }), position: 1 },
        { ...row, id: own, source: JSON.stringify({ type: 'recommended' }), position: 2 },
      ])
      .execute()
    expect(await ask('dy')).toBe(own)
  })
})
