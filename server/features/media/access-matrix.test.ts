import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getEpisode } from '#contract/media.ts'
import { tamperedLinks, formatMediaLink, type MediaLink } from '#server/testing/media/media-links.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import {
  requestPlayback,
  testEpisodes,
  createViewersOfEachKind,
  createOtherGuest,
  viewerKinds,
  type ViewerWithLinks,
  type ViewerKind,
} from '#server/testing/builders/viewers-by-entitlement.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/**
 * Every kind of file of an asset, and the key of an encrypted asset. A cell of the tables applies to all files of its
 * column.
 */
const files = {
  master: 'master.m3u8',
  'media playlist': 'v0/index.m3u8',
  init: 'v0/init.mp4',
  segment: 'v0/00000.m4s',
  caption: 'captions/en.vtt',
  storyboard: 'storyboard.vtt',
  'storyboard picture': 'storyboard.jpg',
  poster: 'poster.webp',
  'sharp thumbnail': 'thumb.webp',
  key: 'key',
}
const { key: _key, ...filesOnly } = files

/*
 * The columns are attempts of a person, and the cells are their results:
 *   play             the status of a request to play the episode
 *   sees             the image of the episode, in the list and in the page's document
 *   their link       every file except the key, requested by the link that the person got for this episode. A person without such
 *                    a link uses their link of another episode, changed to this asset.
 *   their key        the key, requested by the same link. It is refused to a person who would get no link now.
 *   altered          the same link with a changed signature or a later expiry
 *   forged subject   the link of another person who may play the episode, changed to this person's subject
 *   other asset      their link of another episode, changed to this asset
 *   stranger plays   the status when another person, who has bought nothing, requests to play the episode
 *   expired          their link after its expiry
 *   play then        the status of a request to play the episode after that expiry
 */
const tables = {
  'a locked episode': {
    number: testEpisodes.bought,
    text: `
                 | play | sees    | their link | their key | altered | forged subject      | other asset     | stranger plays  | expired | play then
  visitor        | 402  | blurred | 403        | 403       | 403     | 403                 | 403             | 402             | 403     | 402
  member         | 402  | blurred | 403        | 403       | 403     | 403                 | 403             | 402             | 403     | 402
  subscriber     | 200  | sharp   | 200        | 200       | 403     | 403                 | 403             | 402             | 410     | 200
  expired plan   | 402  | blurred | 200        | 403       | 403     | 403                 | 403             | 402             | 410     | 402
  bought this    | 200  | sharp   | 200        | 200       | 403     | 403                 | 403             | 402             | 410     | 200
  bought another | 402  | blurred | 403        | 403       | 403     | 403                 | 403             | 402             | 403     | 402
  refunded       | 402  | blurred | 200        | 403       | 403     | 403                 | 403             | 402             | 410     | 402`,
  },
  'a free episode': {
    number: testEpisodes.free,
    text: `
                 | play | sees    | their link | their key | altered | forged subject      | other asset     | stranger plays  | expired | play then
  visitor        | 200  | sharp   | 200        | 200       | 403     | 403                 | none            | 200             | 410     | 200
  member         | 200  | sharp   | 200        | 200       | 403     | 403                 | none            | 200             | 410     | 200
  subscriber     | 200  | sharp   | 200        | 200       | 403     | 403                 | 403             | 200             | 410     | 200
  expired plan   | 200  | sharp   | 200        | 200       | 403     | 403                 | 403             | 200             | 410     | 200
  bought this    | 200  | sharp   | 200        | 200       | 403     | 403                 | 403             | 200             | 410     | 200
  bought another | 200  | sharp   | 200        | 200       | 403     | 403                 | 403             | 200             | 410     | 200
  refunded       | 200  | sharp   | 200        | 200       | 403     | 403                 | 403             | 200             | 410     | 200`,
  },
}

type Cells = Record<string, string>
const whileAlive = ['play', 'sees', 'their link', 'their key', 'altered', 'forged subject', 'other asset']

let site: BillingSite
let everybody: Record<ViewerKind, ViewerWithLinks>
let stranger: Visitor

beforeAll(async () => {
  site = await startBillingSite()
  for (const { assetId } of site.video.episodes) if (assetId) await encrypt(assetId)
  everybody = await createViewersOfEachKind(site)
  stranger = await createOtherGuest(site)
})
afterAll(() => site.close())

const assetOf = (number: number) => site.video.episodes[number - 1]?.assetId ?? ''

/** Adds a key to an asset. The segments are not encrypted, because these tests check only the statuses of responses. */
async function encrypt(id: string): Promise<void> {
  const { db, mediaKeys } = site.context
  const media_key = mediaKeys.encrypt(id, mediaKeys.generate())
  await db.updateTable('assets').set({ media_key }).where('id', '=', id).execute()
}

/** Returns the person's link for another episode, preferably a locked one. */
function anotherLink({ held }: ViewerWithLinks, number: number): MediaLink | undefined {
  return [...held].findLast(([other]) => other !== number)?.[1]
}

function theirLink(person: ViewerWithLinks, number: number): MediaLink {
  const link = person.held.get(number) ?? anotherLink(person, number)
  if (!link) throw new Error('the person has no link, although every person can play a free episode')
  return { ...link, asset: assetOf(number) }
}

/** Returns the link of another person who may play the episode. */
function linkOfAnother(person: ViewerWithLinks, number: number): MediaLink {
  const other = person === everybody.subscriber ? everybody['bought this'] : everybody.subscriber
  return theirLink(other, number)
}

/**
 * Fetches every kind of file by these links. Returns the status of each kind, or all its statuses if the links give
 * different ones.
 */
async function fetchAll(
  visitor: Visitor,
  links: readonly MediaLink[],
  kinds: Record<string, string> = files,
): Promise<Cells> {
  const seen: Cells = {}
  for (const [kind, file] of Object.entries(kinds)) {
    const statuses = new Set<number>()
    for (const link of links) {
      const response = await visitor.fetch(formatMediaLink(link, file))
      if (!response.ok) {
        expect(await response.text(), 'a refused response has no bytes of the file').toBe('')
        expect(response.headers.get('cache-control'), 'a refused response is not cached').toBe('no-store')
      }
      statuses.add(response.status)
    }
    seen[kind] = [...statuses].join(' or ')
  }
  return seen
}

/** Returns which image of the episode the list and the document show: the sharp one, or the public blurred one. */
async function pictureOf({ visitor }: ViewerWithLinks, number: number): Promise<string> {
  const asset = assetOf(number)
  const listed = await visitor.call(getEpisode, { query: { video_id: site.video.id } })
  const page = await visitor.fetch(`/videos/${site.video.id}?episode=${number}`)
  const shown = (text: string) => {
    const sharp = text.includes(`/${asset}/thumb.webp`)
    if (!sharp && new RegExp(`/media/[^"]*/${asset}/`).test(text)) return 'a link'
    return sharp ? 'sharp' : 'blurred'
  }
  return [...new Set([shown(JSON.stringify(listed.answer)), shown(await page.text())])].join(' or ')
}

/** The attempts; each returns one value, or one for each kind of file. */
const tries: Record<string, (person: ViewerWithLinks, number: number) => Promise<string | Cells>> = {
  play: async ({ visitor }, number) => String((await requestPlayback(site, visitor, number)).code),
  sees: pictureOf,
  'their link': (person, number) => fetchAll(person.visitor, [theirLink(person, number)], filesOnly),
  'their key': (person, number) => fetchAll(person.visitor, [theirLink(person, number)], { key: files.key }),
  altered: (person, number) => fetchAll(person.visitor, tamperedLinks(theirLink(person, number))),
  'forged subject': (person, number) => {
    const { subject } = theirLink(person, number)
    return fetchAll(person.visitor, [{ ...linkOfAnother(person, number), subject }])
  },
  'other asset': async (person, number) => {
    const link = anotherLink(person, number)
    return link ? fetchAll(person.visitor, [{ ...link, asset: assetOf(number) }]) : 'none'
  },
  'stranger plays': async (person, number) => {
    const { code, link, text } = await requestPlayback(site, stranger, number)
    const { subject } = theirLink(person, number)
    if (link ? link.subject === subject : text.includes('/media/')) return 'a link in this name'
    return String(code)
  },
  expired: (person, number) => fetchAll(person.visitor, [theirLink(person, number)]),
  'play then': async ({ visitor }, number) => String((await requestPlayback(site, visitor, number)).code),
}

function readTable(text: string): { person: ViewerKind; cells: Cells }[] {
  const [head = [], ...rows] = text
    .trimStart()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.map(([name, ...cells]) => {
    const person = viewerKinds.find((each) => each === name)
    if (!person) throw new Error(`no person is named “${name}”`)
    return { person, cells: Object.fromEntries(head.slice(1).map((column, at) => [column, cells[at] ?? ''])) }
  })
}

function checkColumns(columns: readonly string[]): void {
  for (const [episode, { number, text }] of Object.entries(tables))
    describe.each(readTable(text))(`${episode}: $person`, ({ person, cells }) => {
      it.each(columns)('%s', async (column) => {
        const cell = cells[column] ?? ''
        const seen = await tries[column]?.(everybody[person], number)
        expect(seen).toEqual(
          typeof seen === 'string'
            ? cell
            : Object.fromEntries(Object.keys(seen ?? {}).map((kind) => [kind, cell])),
        )
      })
    })
}

it('each table has a row for each person, and a cell for each attempt', () => {
  for (const { text } of Object.values(tables)) {
    const rows = readTable(text)
    expect(rows.map(({ person }) => person)).toEqual(viewerKinds)
    for (const { cells } of rows) expect(Object.keys(cells)).toEqual(Object.keys(tries))
  }
})

describe('while the links are valid', () => checkColumns([...whileAlive, 'stranger plays']))

describe('after the links have expired', () => {
  beforeAll(() => site.advanceClock(11 * 60_000))
  checkColumns(['expired', 'play then'])
})
