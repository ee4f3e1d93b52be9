import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import { checkProperty, propertyTimeoutMs } from '#server/testing/check-property.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { insertPaidOrder, insertUserRow } from '#server/testing/builders/order-rows.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { walkPages } from '#server/testing/walk-pages.ts'
import type { Tx } from '#server/tables.ts'
import { addFavorite, removeFavorites } from './change-favorites.ts'
import { grantEntitlement } from './library.ts'
import { listFavorites, listHistory } from './list-history-and-favorites.ts'
import { removeFromHistory, savePosition } from './history/save-position.ts'

const videoCount = 8

let site: TestSite
let videos: BuiltVideo[]

beforeAll(async () => {
  site = await startTestSite()
  videos = []
  for (let number = 0; number < videoCount; number++)
    videos.push(await buildVideo(site.context, { episodes: 1, freeEpisodes: 1 }))
})
afterAll(() => site.close())

const idOf = (number: number) => videos[number]?.id ?? ''
const episodeOf = (number: number) => videos[number]?.episodes[0]?.id ?? ''

/** A list of a user. `put` adds a video or moves it to the front again; `take` removes it. */
interface List {
  put(tx: Tx, userId: string, video: number, now: Date): Promise<unknown>
  take(tx: Tx, userId: string, video: number, now: Date): Promise<unknown>
  read(viewer: Viewer, paging: { cursor?: string; limit: number }, now: Date): ReturnType<typeof readHistory>
}

async function readHistory(
  viewer: Viewer,
  query: { kind: 'watched' | 'unlocked'; cursor?: string; limit: number },
  now: Date,
): Promise<{ list: string[]; next_cursor: string | null }> {
  const { list, next_cursor } = await listHistory(site.context, viewer, query, 'en', now)
  return { list: list.map(({ video }) => video.id), next_cursor }
}

const lists: Record<string, List> = {
  favorites: {
    // A favorite that is added again keeps its position.
    put: (tx, userId, video, now) => addFavorite(tx, userId, idOf(video), now),
    take: (tx, userId, video) => removeFavorites(tx, userId, [idOf(video)]),
    async read(viewer, paging) {
      const { list, next_cursor } = await listFavorites(site.context, viewer, paging, 'en')
      return { list: list.map(({ id }) => id), next_cursor }
    },
  },
  'the history': {
    put: (tx, userId, video, now) =>
      savePosition(
        tx,
        userId,
        { video_id: idOf(video), episode_id: episodeOf(video), position_ms: 0, at: now.toISOString() },
        now,
        () => Promise.resolve(),
      ),
    take: (tx, userId, video, now) => removeFromHistory(tx, userId, { remove: [idOf(video)] }, now),
    read: (viewer, paging, now) => readHistory(viewer, { kind: 'watched', ...paging }, now),
  },
  'the unlocked videos': {
    async put(tx, userId, video, now) {
      const orderId = await insertPaidOrder(tx, userId, now)
      const goods = { videoId: idOf(video), episodeId: episodeOf(video) }
      await grantEntitlement(tx, { userId, orderId, source: 'purchase', ...goods, startsAt: now })
    },
    take: (tx, userId, video, now) =>
      removeFromHistory(tx, userId, { remove: [idOf(video)], kind: 'unlocked' }, now),
    read: (viewer, paging, now) => readHistory(viewer, { kind: 'unlocked', ...paging }, now),
  },
}

interface Change {
  video: number
  what: 'is put on the list' | 'is taken off'
  /** False: the change happens in the same millisecond as the previous one. */
  later: boolean
}

const change: fc.Arbitrary<Change> = fc.record({
  video: fc.nat({ max: videoCount - 1 }),
  what: fc.constantFrom('is put on the list', 'is put on the list', 'is taken off'),
  later: fc.boolean(),
})
const walk = fc.record({
  before: fc.array(change, { maxLength: 12 }),
  sizes: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
  /** The changes that are made after each page. */
  changes: fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 6 }),
})

test.each(Object.entries(lists))(
  'the pages of %s have each video at most once and every unchanged video, while others are added, moved and removed',
  { timeout: propertyTimeoutMs },
  (_name, list) =>
    checkProperty(
      fc.asyncProperty(walk, async ({ before, sizes, changes }) => {
        const { db } = site.context
        const viewer: Viewer = { userId: newId('usr'), role: 'visitor', isStored: true }
        let time = Date.now()
        const apply = (changes: readonly Change[]) =>
          db.transaction().execute(async (tx) => {
            for (const { video, what, later } of changes) {
              if (later) time++
              await list[what === 'is taken off' ? 'take' : 'put'](tx, viewer.userId, video, new Date(time))
            }
          })
        await db.transaction().execute((tx) => insertUserRow(tx, viewer.userId))
        await apply(before)
        const { list: first } = await list.read(viewer, { limit: videoCount }, new Date(time))
        const touched = new Set<string>()
        const seen = await walkPages({
          sizes,
          fetchPage: (paging) => list.read(viewer, paging, new Date(time)),
          async betweenPages(page) {
            const now = changes[page] ?? []
            for (const { video } of now) touched.add(idOf(video))
            // Changes after a page was read have later times than the entries of that page.
            time++
            await apply(now)
          },
        })
        expect(seen.toSorted()).toEqual([...new Set(seen)].toSorted())
        expect(seen).toEqual(expect.arrayContaining(first.filter((id) => !touched.has(id))))
      }),
      { share: 1 / 3 },
    ),
)
