import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listTags, queryHomepage } from '#contract/catalog.ts'
import type { LocalizedText } from '#contract/languages.ts'
import { upsertVideo } from '#server/features/catalog/catalog.ts'
import { encodeCursor } from '#server/platform/cursor.ts'
import { advancingClock } from '#server/testing/fakes/advancing-clock.ts'
import { buildCategory, buildVideo } from '#server/testing/builders/video-builders.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { hasSimilarPrefix, isOneTypoApart } from './typo-matching.ts'

let site: TestSite

const names = new Map<string, LocalizedText>([
  ['family', { en: 'Family', es: 'Familia', fy: 'Famille', dy: 'Verwandtschaft', pt: 'Família' }],
])

async function publish(
  slug: string,
  titles: LocalizedText,
  synopsis: string,
  tags: string[] = [],
): Promise<string> {
  const details = {
    slug,
    titles,
    synopses: { en: synopsis },
    category: null,
    tags,
    badge: null,
    featured: false,
    freeEpisodes: 3,
    price: { currency: 'USD', episodeCents: 99, videoCents: 999 },
  }
  const options = { release: 'now', now: new Date(), names } as const
  return site.context.db.transaction().execute((tx) => upsertVideo(tx, details, options))
}

beforeAll(async () => {
  site = await startTestSite({ clock: advancingClock() })
  await publish(
    'sword',
    { en: 'The Last Sword', es: 'La última espada', fy: 'La dernière épée', dy: 'Das späte Schwert' },
    'A blacksmith keeps a promise',
    ['family'],
  )
  await publish('duel', { en: 'Duel at Dawn', pt: 'Duelo ao amanhecer' }, 'Nobody carries a sword any more')
  await publish('storm', { en: 'Storm Chasers' }, 'Two sisters and a lighthouse', ['family'])
  await publish('strasse', { en: 'The Other Street', dy: 'Die andere Straße' }, 'A whole street of strangers')
  await buildVideo(site.context, {
    title: 'Orbit',
    episodes: 1,
    categoryId: await buildCategory(site.context.db, {
      en: 'Science fiction',
      es: 'Ciencia ficción',
      fy: 'Science-fiction',
      dy: 'Zukunft',
      pt: 'Ficção científica',
    }),
  })
})
afterAll(() => site.close())

const search = async (keyword: string, language = 'en') => {
  const visitor = site.visitor({ 'accept-language': language })
  return (await visitor.callOk(queryHomepage, { query: { keyword } })).list.map(({ title }) => title)
}

describe('a search', () => {
  it.each([
    ['English', 'Sword'],
    ['Spanish', 'espada'],
    ['French', 'épée'],
    ['German', 'Schwert'],
    ['Portuguese', 'amanhecer'],
  ])('finds a title in %s for a viewer who uses English', async (_language, keyword) => {
    expect(await search(keyword)).toContain(keyword === 'amanhecer' ? 'Duel at Dawn' : 'The Last Sword')
  })

  it.each([
    ['German', 'de', 'espada', 'Das späte Schwert'],
    ['French', 'fr', 'Schwert', 'La dernière épée'],
    ['Spanish', 'es', 'dernière', 'La última espada'],
    ['Portuguese', 'pt', 'dawn', 'Duelo ao amanhecer'],
    ['German', 'de', 'amanhecer', 'Duel at Dawn'],
  ])(
    'finds a video for a viewer who uses %s (%s) by a word in another language (%s), and shows the title in the viewer’s language or in English: %s',
    async (_name, language, keyword, title) => {
      expect(await search(keyword, language)).toEqual([title])
    },
  )

  it('ignores accents in keywords and in titles', async () => {
    expect(await search('epee')).toEqual(['The Last Sword'])
    expect(await search('ÉPÉE')).toEqual(['The Last Sword'])
    expect(await search('dèrnîère')).toEqual(['The Last Sword'])
    expect(await search('strasse')).toEqual(['The Other Street'])
  })

  it.each(['lighthose', 'lighhtouse', 'lightghouse', 'lightxouse', 'ighthouse'])(
    'tolerates a typo: %s',
    async (keyword) => {
      expect(await search(keyword)).toEqual(['Storm Chasers'])
    },
  )

  it('finds a word one typo away, even if many indexed words are similar', async () => {
    const words = [
      'case',
      'caso',
      'cash',
      'cast',
      'casi',
      'cass',
      'basq',
      'dasq',
      'gasq',
      'pasq',
      'rasq',
      'vasq',
    ]
    await publish('many-alike', { en: 'Alike' }, words.join(' '))
    await publish('many-alike-house', { en: 'Casa' }, 'A house')
    expect((await search('casq')).toSorted()).toEqual(['Alike', 'Casa'])
    expect(await site.visitor().callOk(listTags, { query: { keyword: 'casq' } })).toMatchObject({
      titles: [{ title: 'Casa' }],
    })
  })

  it('does not tolerate two typos in a word', async () => {
    expect(await search('lyghtxouse')).toEqual([])
  })

  it('finds words in titles, synopses and tags, and lists matches in titles first', async () => {
    expect(await search('sword')).toEqual(['The Last Sword', 'Duel at Dawn'])
    expect(await search('blacksmith')).toEqual(['The Last Sword'])
    expect((await search('Verwandtschaft')).toSorted()).toEqual(['Storm Chasers', 'The Last Sword'])
  })

  it.each([
    'science',
    'science fiction',
    'ciencia ficción',
    'science-fiction',
    'Zukunft',
    'ficção',
    'zukunf',
  ])("finds a category's videos by its name in any language: %s", async (keyword) => {
    expect(await search(keyword)).toEqual(['Orbit'])
  })

  it('finds the videos of all five categories whose names share a word', async () => {
    const { db } = site.context
    for (const kind of ['Crime', 'Garden', 'Hospital', 'Teen', 'Costume'])
      await buildVideo(site.context, {
        title: `A ${kind} of its own`,
        episodes: 1,
        categoryId: await buildCategory(db, { en: `${kind} melodrama` }),
      })
    const found = ['Costume', 'Crime', 'Garden', 'Hospital', 'Teen'].map((kind) => `A ${kind} of its own`)
    expect((await search('melodrama')).toSorted()).toEqual(found)
    expect((await search('melodrama own')).toSorted()).toEqual(found)
  })

  it('finds videos with all words, or with some of them if no video has all', async () => {
    expect(await search('sword blacksmith')).toEqual(['The Last Sword'])
    expect((await search('sword lighthouse')).toSorted()).toEqual([
      'Duel at Dawn',
      'Storm Chasers',
      'The Last Sword',
    ])
  })

  it('finds the same titles for a single Chinese character as type-ahead does', async () => {
    await publish('north', { en: '北京 Nights' }, 'Two taxis and one fare')
    const { titles = [] } = await site.visitor().callOk(listTags, { query: { keyword: '北' } })
    expect(titles.map(({ title }) => title)).toEqual(['北京 Nights'])
    expect(await search('北')).toEqual(['北京 Nights'])
  })

  it('finds nothing, without an error, for a keyword without words or with only unknown words', async () => {
    for (const keyword of ["'", '&|!():*<->', '\\', '....', 'zzzzqqqq', "' | 'qx':*", '💥', 'ø'.repeat(200)])
      expect(await search(keyword)).toEqual([])
  })

  it.each([
    ['five characters in one word', '\u3300'.repeat(194)],
    ['eighteen characters in four words', '\ufdfa'.repeat(194)],
    [
      'five characters, with spaces that do not end a word',
      '\u3300\u3300\u3300\u3300\u3300\u3300\u1680'.repeat(27),
    ],
  ])('accepts characters that expand to many others: %s', async (_name, many) => {
    expect(await search(`sword ${many}`)).toEqual(['The Last Sword', 'Duel at Dawn'])
    for (const keyword of [many, `sword ${many}`, `${many} sword`])
      expect(await site.visitor().callOk(listTags, { query: { keyword } })).toMatchObject({ titles: [] })
  })

  it('finds a renamed video only by its new title, and no archived video', async () => {
    const id = await publish('renamed', { en: 'Nightingale' }, 'Birds')
    await publish('renamed', { en: 'Sparrowhawk' }, 'Birds')
    expect([await search('nightingale'), await search('sparrowhawk')]).toEqual([[], ['Sparrowhawk']])
    await site.context.db.updateTable('videos').set({ state: 'archived' }).where('id', '=', id).execute()
    expect(await search('sparrowhawk')).toEqual([])
  })
})

it('a forged cursor is refused, or finds nothing', async () => {
  const list = JSON.stringify(['words', 'sword', 'relevance'])
  const places = [
    ['any', 'sword', 'sword', 'en', 0, 0, 0, '', 'soon', 'vid_1'],
    ['any', 'sword', 'sword', 'en', 0, 0, 0, '', 2 ** 40, 'vid_1'],
    ['any', '', 'sword', 'en', 0, 0, 0, '', 1, 'vid_1'],
    ['all', ' ', 'sword', 'en', 0, 0, 0, '', 1, 'vid_1'],
    ['all', 'last  sword', 'sword', 'en', 0, 0, 0, '', 1, 'vid_1'],
    ['any', 'sword', 'sword', 'en', 0, 0, -1, '', 1, 'vid_1'],
    ['any', 'sword', 'sword', 'xx', 0, 0, 0, '', 1, 'vid_1'],
  ]
  for (const place of places) {
    const query = { keyword: 'sword', cursor: encodeCursor(list, place) }
    expect(await site.visitor().call(queryHomepage, { query })).toMatchObject({ status: 400 })
  }
  const empty = encodeCursor(list, ['any', 'sword', '| |', 'en', 0, 0, 0, '', 1, 'vid_1'])
  expect(
    (await site.visitor().callOk(queryHomepage, { query: { keyword: 'sword', cursor: empty } })).list,
  ).toEqual([])
})

describe('type-ahead', () => {
  const suggest = async (keyword: string, language = 'en') => {
    const { list, titles = [] } = await site
      .visitor({ 'accept-language': language })
      .callOk(listTags, { query: { keyword } })
    return { tags: list.map(({ name }) => name), titles: titles.map(({ title }) => title) }
  }

  it('finds tags and titles by the beginning of their words', async () => {
    expect(await suggest('fam')).toEqual({ tags: ['Family'], titles: [] })
    expect(await suggest('last sw')).toEqual({ tags: [], titles: ['The Last Sword'] })
    expect(await suggest('s')).toMatchObject({
      titles: expect.arrayContaining(['Storm Chasers', 'The Last Sword']),
    })
  })

  it("searches names in the viewer's language and English, and returns them in the viewer's language", async () => {
    expect(await suggest('dern', 'fr')).toEqual({ tags: [], titles: ['La dernière épée'] })
    expect(await suggest('dern', 'es')).toEqual({ tags: [], titles: [] })
    expect(await suggest('fami', 'fr')).toMatchObject({ tags: ['Famille'] })
    expect(await suggest('chasers', 'pt')).toMatchObject({ titles: ['Storm Chasers'] })
  })

  it('ignores accents and a typo, also in an unfinished word', async () => {
    expect(await suggest('épé', 'fr')).toMatchObject({ titles: ['La dernière épée'] })
    expect(await suggest('stomr')).toMatchObject({ titles: ['Storm Chasers'] })
    expect(await suggest('famlly')).toMatchObject({ tags: ['Family'] })
    expect(await suggest('chsaer')).toMatchObject({ titles: ['Storm Chasers'] })
  })
})

describe('one typo', () => {
  it.each([
    ['love', 'lve', true],
    ['love', 'loove', true],
    ['love', 'lope', true],
    ['love', 'lvoe', true],
    ['love', 'vloe', false],
    ['love', 'lo', false],
    ['love', 'loooe', false],
  ])('is the difference between %s and %s: %s', (one, other, apart) => {
    expect(isOneTypoApart(one, other)).toBe(apart)
    expect(isOneTypoApart(other, one)).toBe(apart)
  })

  it.each([
    ['romnc', 'romance', true],
    ['roamnc', 'romance', true],
    ['romaance', 'romances', true],
    ['rmnce', 'romance', false],
  ])('is the difference between %s and the beginning of %s: %s', (beginning, word, alike) => {
    expect(hasSimilarPrefix(beginning, word)).toBe(alike)
  })
})
