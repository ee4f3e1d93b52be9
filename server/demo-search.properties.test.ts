import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { listTags, queryHomepage } from '#contract/catalog.ts'
import { bcp47Tags, languages, type Language } from '#contract/languages.ts'
import { categoryNames, dramas, tagNames } from '#demo/catalogue.ts'
import { upsertVideo } from '#server/features/catalog/catalog.ts'
import { checkProperty, propertyTimeoutMs } from '#server/testing/check-property.ts'
import { advancingClock } from '#server/testing/fakes/advancing-clock.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { walkPages } from '#server/testing/walk-pages.ts'

let site: TestSite

beforeAll(async () => {
  site = await startTestSite({ clock: advancingClock() })
  const names = new Map(Object.entries({ ...categoryNames, ...tagNames }))
  for (const { slug, title, synopsis, category, tags } of dramas) {
    const details = {
      slug,
      titles: title,
      synopses: synopsis,
      category,
      tags,
      badge: null,
      featured: false,
      freeEpisodes: 3,
      price: { currency: 'USD', episodeCents: 99, videoCents: 999 },
    }
    const options = { release: 'now', now: new Date(), names } as const
    await site.context.db.transaction().execute((tx) => upsertVideo(tx, details, options))
  }
})
afterAll(() => site.close())

const visitor = (language: Language) => site.visitor({ 'accept-language': bcp47Tags[language] })

/** Returns the titles of all results of a listing, in page order. */
async function titlesOf(language: Language, query: { keyword?: string; tag?: string }): Promise<string[]> {
  const videos = await walkPages({
    fetchPage: (paging) => visitor(language).callOk(queryHomepage, { query: { ...query, ...paging } }),
    sizes: [50],
    betweenPages: async () => {},
  })
  return videos.map(({ title }) => title)
}

const titlesIn = (category: string, language: Language) =>
  dramas.filter((drama) => drama.category === category).map(({ title }) => title[language])

describe.each(languages)('a search in %s', (language) => {
  it.each(Object.entries(categoryNames))('finds the dramas of the category %s', async (category, names) => {
    const found = await titlesOf(language, { keyword: names[language].toLowerCase() })
    expect(found).toEqual(expect.arrayContaining(titlesIn(category, language)))
  })
})

it('finds a drama by a part of the name of its category, with a typo, and beside other words', async () => {
  for (const keyword of ['scien', 'fiction', 'science fictoin', 'science fiction bed'])
    expect(await titlesOf('en', { keyword }), keyword).toEqual(expect.arrayContaining(['Nurse 7']))
})

it('finds dramas at once by the new name of their category, and a moved drama by its new category', async () => {
  const { db } = site.context
  const rename = (names: object) =>
    db
      .updateTable('categories')
      .set({ names: JSON.stringify(names) })
      .where('slug', '=', 'mystery')
      .execute()
  await rename({ en: 'Riddles' })
  expect(await titlesOf('en', { keyword: 'riddles' })).toEqual(
    expect.arrayContaining(titlesIn('mystery', 'en')),
  )
  await rename(categoryNames['mystery'] ?? {})
  const [moved = ''] = titlesIn('comedy', 'en')
  const place = (category: string) =>
    db
      .updateTable('videos')
      .set(({ selectFrom }) => ({
        category_id: selectFrom('categories').select('id').where('slug', '=', category),
      }))
      .where('slug', '=', dramas.find(({ title }) => title.en === moved)?.slug ?? '')
      .execute()
  await place('mystery')
  expect(await titlesOf('en', { keyword: 'mystery' })).toContain(moved)
  await place('comedy')
  expect(await titlesOf('en', { keyword: 'mystery' })).not.toContain(moved)
})

/**
 * Generates typed queries: a part of a title, tag or category, from the start of a word. In some, one letter is missing.
 */
const typed = fc
  .record({
    name: fc.constantFrom(
      ...dramas.map(({ title }) => title),
      ...Object.values(tagNames),
      ...Object.values(categoryNames),
    ),
    language: fc.constantFrom(...languages),
    words: fc.nat({ max: 2 }),
    length: fc.integer({ min: 2, max: 14 }),
    slip: fc.option(fc.nat({ max: 12 })),
  })
  .map(({ name, language, words, length, slip }) => {
    const text = name[language].toLowerCase().split(' ').slice(words).join(' ').slice(0, length)
    const keyword = slip === null ? text : text.slice(0, slip) + text.slice(slip + 1)
    return { keyword: keyword.trim(), language }
  })
  .filter(({ keyword }) => keyword !== '')

test(
  'a search finds every title that type-ahead suggests for the same words, and the videos of every suggested tag',
  async () => {
    await checkProperty(
      fc.asyncProperty(typed, async ({ keyword, language }) => {
        const { list: tags, titles = [] } = await visitor(language).callOk(listTags, { query: { keyword } })
        const offered = titles.map(({ title }) => title)
        for (const { id } of tags) offered.push(...(await titlesOf(language, { tag: id })))
        expect(await titlesOf(language, { keyword })).toEqual(expect.arrayContaining(offered))
      }),
      { share: 0.2 },
    )
  },
  propertyTimeoutMs,
)
