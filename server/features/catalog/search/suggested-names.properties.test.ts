import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tierSizes } from '#server/features/catalog/ranking/rank-queries.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { checkProperty, propertyTimeoutMs } from '#server/testing/check-property.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { walkPages } from '#server/testing/walk-pages.ts'
import { searchVideos } from './search-videos.ts'
import { suggestNames } from './suggest-names.ts'

const words = ['harbour', 'harvest', 'haze', 'midnight', 'middle', 'mist', 'storm', 'story', 'stone']
/**
 * Number of videos in front tiers that have every word in their synopses. They are so many that a search reads no other
 * tier.
 */
const wellKnown = 80
const named = 160
const maxOffered = 20

let site: TestSite

beforeAll(async () => {
  site = await startTestSite()
  const { db } = site.context
  const word = (at: number) => words[at % words.length]
  for (let number = 0; number < wellKnown + named; number++) {
    const title =
      number < wellKnown ? `Drama ${number}` : `${word(number)} ${word(Math.floor(number / 7))} ${number}`
    const { id } = await buildVideo(site.context, { title, episodes: 0 })
    if (number < wellKnown)
      await db
        .updateTable('videos')
        .set({ synopses: JSON.stringify({ en: words.join(' ') }) })
        .where('id', '=', id)
        .execute()
  }
})
afterAll(() => site.close())

const search = fc.record({
  typed: fc.array(fc.record({ word: fc.constantFrom(...words), letters: fc.integer({ min: 1, max: 8 }) }), {
    minLength: 1,
    maxLength: 2,
  }),
  sort: fc.constantFrom('newest' as const, 'popular' as const, 'relevance' as const),
  size: fc.integer({ min: 3, max: 50 }),
  /** How the other videos are spread over the tiers. */
  step: fc.nat({ max: 20 }),
  first: fc.nat({ max: tierSizes.length }),
})

/** Moves the well-known videos to the first tier and spreads the others. */
const spread = (step: number, first: number) =>
  site.context.database.pool.query(
    `UPDATE video_search SET tier = CASE WHEN titles->>'en' LIKE 'Drama %' THEN 0
       ELSE greatest($2, (substring(titles->>'en' FROM '[0-9]+$')::int * $1) % $3) END
     FROM videos WHERE id = video_id`,
    [step, first, tierSizes.length + 1],
  )

test(
  'a search finds each video that type-ahead suggests exactly once, whatever its tier',
  async () => {
    await checkProperty(
      fc.asyncProperty(search, async ({ typed, sort, size, step, first }) => {
        await spread(step, first)
        const whole = typed.map(({ word }) => word).slice(0, -1)
        const last = typed.map(({ word, letters }) => word.slice(0, letters)).at(-1) ?? ''
        const keyword = [...whole, last].join(' ')
        const offered = await suggestNames(site.context.db, keyword, 'en', maxOffered)
        const found = await walkPages({
          fetchPage: async ({ cursor, limit }) => {
            const page = await searchVideos(site.context, keyword, 'en', sort, cursor, limit)
            return { list: page.rows, next_cursor: page.nextCursor }
          },
          sizes: [size],
          betweenPages: async () => {},
        })
        const ids = found.map(({ id }) => id)
        expect(ids).toEqual(expect.arrayContaining(offered.titles.map(({ id }) => id)))
        expect(new Set(ids).size).toBe(ids.length)
      }),
      { share: 0.2 },
    )
  },
  propertyTimeoutMs,
)
