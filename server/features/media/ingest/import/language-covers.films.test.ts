import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getHomepage, getVideo, listTags, queryHomepage } from '#contract/catalog.ts'
import { advancingClock } from '#server/testing/fakes/advancing-clock.ts'
import { sampleVideoYaml, makeTestVideo } from '#server/testing/media/test-media.ts'
import { ingestContextOf } from '#server/testing/media/ingest-context.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { importFolder } from './import-folder.ts'

let root: string
let site: TestSite

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-language-covers-'))
  site = await startTestSite({ clock: advancingClock() })
})
afterAll(async () => {
  await site.close()
  rmSync(root, { recursive: true, force: true })
})

const colours = { red: '#e01010', green: '#10b010', blue: '#1010e0' }
type Colour = keyof typeof colours

/**
 * Imports a drama of one episode with these covers.
 * @returns the refused files, and the video's id
 */
async function importDrama(slug: string, covers: Record<string, Colour | 'no picture'>) {
  const folder = join(root, slug)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'video.yaml'), sampleVideoYaml)
  makeTestVideo(join(folder, '01.mp4'), { seconds: 1 })
  for (const [name, colour] of Object.entries(covers))
    writeFileSync(join(folder, name), colour === 'no picture' ? colour : await draw(colours[colour]))
  const { refused } = await importFolder(ingestContextOf(site.context), folder, {
    signal: new AbortController().signal,
    niceness: 0,
    onProgress: () => {},
  })
  const { id } = await site.context.db
    .selectFrom('videos')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  return { id, refused: refused.map(({ file }) => file) }
}

const draw = (background: string) =>
  sharp({ create: { width: 600, height: 800, channels: 3, background } })
    .png()
    .toBuffer()

const viewer = (language: string) => site.visitor({ 'accept-language': language })

/** Returns the colour of a cover. */
async function colourOf(address: string | null): Promise<Colour | undefined> {
  const response = await viewer('en').fetch(address ?? '')
  const { dominant } = await sharp(Buffer.from(await response.arrayBuffer())).stats()
  const [r, g, b] = [dominant.r > 128, dominant.g > 128, dominant.b > 128]
  return r ? 'red' : g ? 'green' : b ? 'blue' : undefined
}

/** Returns the colours of a video's cover in every place where viewers of a language see it. */
async function shownIn(language: string, id: string): Promise<(Colour | undefined)[]> {
  const visitor = viewer(language)
  const video = await visitor.callOk(getVideo, { query: { id } })
  const found = await visitor.callOk(queryHomepage, { query: { keyword: 'salt' } })
  const all = await visitor.callOk(queryHomepage, { query: {} })
  const { homepage } = await visitor.callOk(getHomepage, {})
  const { titles = [] } = await visitor.callOk(listTags, { query: { keyword: 'sal' } })
  const html = await (await visitor.fetch(`/videos/${id}`)).text()
  const social = /<meta property="og:image" content="([^"]*)"/.exec(html)?.[1] ?? ''
  const coverUrlOf = (list: readonly { id: string; cover_url: string | null }[]) =>
    list.find((each) => each.id === id)?.cover_url ?? null
  const onHomepage = coverUrlOf(homepage.flatMap(({ items }) => items))
  const addresses = [
    video.cover_url,
    coverUrlOf(found.list),
    coverUrlOf(all.list),
    onHomepage,
    coverUrlOf(titles),
  ]
  return Promise.all([...addresses, new URL(social, 'http://localhost').pathname].map(colourOf))
}

const everywhere = (colour: Colour) => Array<Colour>(6).fill(colour)

test('viewers see the cover of their language everywhere, and otherwise the default cover', async () => {
  const { id, refused } = await importDrama('salt', {
    'cover.png': 'red',
    'cover.de.png': 'green',
    'cover.fy.png': 'blue',
  })
  expect(refused).toEqual([])
  expect(await shownIn('en', id)).toEqual(everywhere('red'))
  expect(await shownIn('es', id)).toEqual(everywhere('red'))
  expect(await shownIn('de-AT', id)).toEqual(everywhere('green'))
  expect(await shownIn('fr', id)).toEqual(everywhere('blue'))
})

test('a second import replaces the covers, refuses a file that is not an image, and names that file', async () => {
  await importDrama('pepper', { 'cover.png': 'red', 'cover.dy.png': 'green', 'cover.es.png': 'green' })
  const { id, refused } = await importDrama('pepper', {
    'cover.dy.png': 'blue',
    'cover.es.png': 'no picture',
  })
  expect(refused).toEqual(['pepper/cover.es.png'])
  const colourIn = async (language: string) =>
    colourOf((await viewer(language).callOk(getVideo, { query: { id } })).cover_url)
  expect([await colourIn('en'), await colourIn('dy'), await colourIn('es')]).toEqual(['red', 'blue', 'green'])
})
