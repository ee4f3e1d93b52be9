import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { queryHomepage } from '#contract/catalog.ts'
import type { QueryOf } from '#contract/endpoint.ts'
import { newId } from '#server/platform/ids.ts'
import { buildTag, buildVideo } from '#server/testing/builders/video-builders.ts'
import { advancingClock } from '#server/testing/fakes/advancing-clock.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { refreshRanks } from '#server/features/catalog/ranking/refresh-ranks.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite({ clock: advancingClock() })
})
afterAll(() => site.close())

const db = () => site.context.db

async function play(ids: readonly string[], times: number): Promise<void> {
  const { pool } = site.context.database
  await pool.query('UPDATE videos SET play_count = play_count + $2 WHERE id = ANY($1)', [ids, times])
  await refreshRanks(db(), new Date())
}

/** Reads a list in pages of four videos, and calls `meanwhile` after each page. */
async function readAllPages(
  query: QueryOf<typeof queryHomepage>,
  meanwhile: (turn: number) => Promise<unknown>,
): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  let turn = 0
  do {
    const from = cursor === undefined ? {} : { cursor }
    const page = await site.visitor().callOk(queryHomepage, { query: { ...query, limit: 4, ...from } })
    ids.push(...page.list.map(({ id }) => id))
    cursor = page.next_cursor ?? undefined
    await meanwhile(++turn)
  } while (cursor !== undefined)
  return ids
}

describe('a list by popularity whose ranks are refreshed between pages', () => {
  let tag: string
  let category: string
  /** The ids of the videos, most popular first. */
  let videos: string[]

  beforeEach(async () => {
    await site.context.database.pool.query("UPDATE videos SET state = 'archived' WHERE state = 'published'")
    tag = await buildTag(db(), 'Harbour')
    category = newId('cat')
    const names = JSON.stringify({ en: 'Harbour' })
    await db().insertInto('categories').values({ id: category, slug: category, names }).execute()
    videos = []
    for (let plays = 30; plays > 0; plays -= 3) {
      const { id } = await buildVideo(site.context, { title: `Harbour ${plays}`, episodes: 1 })
      await db().insertInto('video_tags').values({ video_id: id, tag_id: tag, position: 0 }).execute()
      await db().updateTable('videos').set({ category_id: category }).where('id', '=', id).execute()
      await play([id], plays)
      videos.push(id)
    }
  })

  const lists: [name: string, query: () => QueryOf<typeof queryHomepage>][] = [
    ['all', () => ({ sort: 'popular' })],
    ['a tag', () => ({ tag, sort: 'popular' })],
    ['a menu entry', () => ({ menu: category, sort: 'popular' })],
    ['a search', () => ({ keyword: 'harbour', sort: 'popular' })],
  ]

  it.each(lists)(
    'lists each video once while unlisted videos rise past the cursor and listed videos rise further: %s',
    async (_name, query) => {
      const seen = await readAllPages(query(), (turn) =>
        play(
          [videos[0], videos[4 + turn], videos[9 - turn]].filter((id) => id !== undefined),
          1000,
        ),
      )
      expect(seen.toSorted()).toEqual(videos.toSorted())
    },
  )

  it.each(lists)(
    'lists each video once while more videos than fit on a page rise repeatedly: %s',
    async (_name, query) => {
      const seen = await readAllPages(query(), () => play(videos.slice(4), 1000))
      expect(seen.toSorted()).toEqual(videos.toSorted())
    },
  )

  it.each(lists)('continues in order if no video rose: %s', async (_name, query) => {
    expect(await readAllPages(query(), async () => {})).toEqual(videos)
  })

  it.each(lists)(
    'does not repeat a video whose duplicate plays were subtracted: %s',
    async (_name, query) => {
      const { pool } = site.context.database
      const seen = await readAllPages(query(), async () => {
        await pool.query('UPDATE videos SET play_count = play_count - 5 WHERE id = $1', [videos[3]])
        await play(videos.slice(3, 4), 1)
      })
      expect(seen).toEqual(videos)
    },
  )

  it('has the new order when the first page is requested again', async () => {
    await readAllPages({ tag, sort: 'popular' }, () => play(videos.slice(9), 1000))
    expect((await readAllPages({ tag, sort: 'popular' }, async () => {}))[0]).toBe(videos[9])
  })
})

it('rank changes are deleted after an hour', async () => {
  const { id } = await buildVideo(site.context, { episodes: 1 })
  const { pool } = site.context.database
  const rankChanges = async () =>
    (await pool.query('SELECT FROM rank_changes WHERE video_id = $1', [id])).rowCount
  await play([id], 1)
  expect(await rankChanges()).toBe(1)
  await refreshRanks(db(), new Date(Date.now() + 3_700_000))
  expect(await rankChanges()).toBe(0)
})
