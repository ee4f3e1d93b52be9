import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Language } from '#contract/languages.ts'
import { parseFileName } from '#contract/studio/parse-file-name.ts'
import { captionExtensions, descriptionFileName, videoExtensions } from '#contract/studio/uploads.ts'
import { readFolder } from '#server/features/media/ingest/import/read-content-folder.ts'
import { checkProperty, propertyTimeoutMs } from '#server/testing/check-property.ts'
import { assignEpisodes, type AssignedFile } from '#web/studio/content/uploads/assign-episodes.ts'

/* The command line and the studio use the same file name parser. Files must not be dropped without a message to the operator. */

const description = `title: { en: Salt }
synopsis: { en: Two sisters. }
category: drama
free_episodes: 3
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`

const separator = fc.constantFrom('.', '_', ' ', '-', ' - ')
const anyCase = (text: string) => fc.constantFrom(text, text.toUpperCase())
const filmEnding = fc.constantFrom(...videoExtensions).chain(anyCase)
const captionsEnding = fc.constantFrom(...captionExtensions).chain(anyCase)
const padded = (number: number, length: number) => String(number).padStart(length, '0')

/** File systems store "é" as one character or, on macOS, as two. */
const form = fc.constantFrom('NFC', 'NFD')

/** The parts of a generated file name, and the expected result. */
interface Built {
  stem: string
  number: number
}

const number = fc.integer({ min: 1, max: 9999 })
const plain = fc
  .record({ number, length: fc.integer({ min: 1, max: 4 }) })
  .map((part): Built => ({ stem: padded(part.number, part.length), number: part.number }))

const spoken = fc
  .record({
    number,
    word: fc.constantFrom(
      'Episode',
      'Épisode',
      'episodio',
      'episódio',
      'Folge',
      'Capítulo',
      'Teil',
      'part',
      'EP',
      'e',
    ),
    gap: fc.constantFrom('', ' ', '_', '.', '-', ' #'),
  })
  // "e 3" is "and 3" in Portuguese.
  .filter(({ word, gap }) => word !== 'e' || !/[ _]/.test(gap))
  .map((part): Built => ({ stem: `${part.word}${part.gap}${part.number}`, number: part.number }))

const coded = fc
  .record({ number, season: fc.integer({ min: 1, max: 20 }), gap: fc.constantFrom('', ' ', '.') })
  .map((part): Built => ({
    stem: `S${padded(part.season, 2)}${part.gap}E${padded(part.number, 2)}`,
    number: part.number,
  }))

const crossed = fc
  .record({ number: fc.integer({ min: 1, max: 999 }), season: fc.integer({ min: 1, max: 20 }) })
  .map((part): Built => ({ stem: `${part.season}x${padded(part.number, 2)}`, number: part.number }))

const title = fc.constantFrom(
  'The Kiss',
  'Küsse im Regen',
  '北の恋',
  'Любовь',
  'Amor y odio',
  '💔',
  'Sleep',
  'Le pas',
)
/** Parts of a name that describe the video, the audio or the year. */
const junk = fc.constantFrom(
  '1080p',
  '720P',
  '4k',
  'x264',
  'H.265',
  'hevc',
  '(2024)',
  '1999',
  '24fps',
  '10bit',
  '1920x1080',
  'final',
)

/** Returns true for a year. The parser does not read a year beside a title as the episode number. */
const isYear = (value: number) => value >= 1900 && value < 2100
const titled = fc
  .record({ number: number.filter((value) => !isYear(value)), title, gap: separator, first: fc.boolean() })
  .map((part): Built => ({
    stem: part.first ? `${part.number} ${part.title}` : `${part.title}${part.gap}${part.number}`,
    number: part.number,
  }))

const decorated = fc
  .record({
    built: fc.oneof(spoken, coded, crossed, titled),
    junk: fc.array(fc.tuple(separator, junk), { maxLength: 2 }),
  })
  .map(({ built, junk: parts }): Built => ({
    stem: [built.stem, ...parts.map(([gap, text]) => gap + text)].join(''),
    number: built.number,
  }))

const codes: Record<string, Language> = {
  en: 'en',
  eng: 'en',
  es: 'es',
  spa: 'es',
  fr: 'fy',
  fy: 'fy',
  fra: 'fy',
  fre: 'fy',
  de: 'dy',
  dy: 'dy',
  deu: 'dy',
  ger: 'dy',
  pt: 'pt',
  por: 'pt',
}
const language = fc
  .record({
    code: fc.constantFrom(...Object.keys(codes)).chain(anyCase),
    region: fc.constantFrom('', '', '-BR', '-at', '-419', '_BR'),
    kind: fc.constantFrom('', '', '.sdh', '.cc', ' (forced)', '.default'),
  })
  .map(({ code, region, kind }) => ({ text: code + region + kind, is: codes[code.toLowerCase()] }))

describe('the parser', () => {
  test('reads the episode number in a video’s name', { timeout: propertyTimeoutMs }, () =>
    checkProperty(
      fc.property(fc.oneof(plain, decorated), filmEnding, form, (built, ending, unicodeForm) => {
        expect(parseFileName(`Season 1/${built.stem}.${ending}`.normalize(unicodeForm))).toEqual({
          kind: 'film',
          number: built.number,
          language: undefined,
        })
      }),
      { share: 10 },
    ),
  )

  test(
    'reads the episode number and the language in a caption file’s name',
    { timeout: propertyTimeoutMs },
    () =>
      checkProperty(
        fc.property(
          fc.oneof(plain, decorated),
          fc.constantFrom('.', '_', ' ', '-'),
          language,
          captionsEnding,
          (built, gap, { text, is }, ending) => {
            expect(parseFileName(`${built.stem}${gap}${text}.${ending}`)).toEqual({
              kind: 'captions',
              number: built.number,
              language: is,
            })
          },
        ),
        { share: 10 },
      ),
  )

  test('ignores numbers of more than four digits', { timeout: propertyTimeoutMs }, () =>
    checkProperty(
      fc.property(
        fc.integer({ min: 10_000, max: 99_999_999 }),
        fc.constantFrom('', 'Episode ', 'The Kiss '),
        filmEnding,
        (value, before, ending) => {
          expect(parseFileName(`${before}${value}.${ending}`).number).toBeUndefined()
        },
      ),
      { share: 10 },
    ),
  )

  const anyName = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc
      .tuple(fc.oneof(plain, decorated), separator, language, fc.oneof(filmEnding, captionsEnding))
      .map(([built, gap, { text }, ending]) => `${built.stem}${gap}${text}.${ending}`),
  )

  test(
    'parses any name, and reports a problem if two files would be the same episode or captions',
    { timeout: propertyTimeoutMs },
    () =>
      checkProperty(
        fc.property(
          fc.array(anyName, { maxLength: 12 }),
          fc.uniqueArray(fc.integer({ min: 1, max: 20 })),
          (names, existing) => {
            const placed = names.flatMap((file): AssignedFile<string>[] => {
              const { kind, number: at, language: inLanguage } = parseFileName(file)
              if (at !== undefined) expect(at).toBeGreaterThanOrEqual(1)
              return kind === 'film' || kind === 'captions'
                ? [{ file, kind, number: at, language: inLanguage }]
                : []
            })
            const { files } = assignEpisodes(placed, new Set(existing))
            expect(files).toHaveLength(placed.length)
            const sent = files.filter(({ problem }) => problem === undefined)
            const places = sent.map((one) => `${one.kind} ${one.number} ${one.language}`)
            expect(new Set(places).size).toBe(places.length)
          },
        ),
        { share: 10 },
      ),
  )
})

describe('the command line', () => {
  let root: string
  let folders = 0
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'cliffhanger-names-'))
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const small = fc.integer({ min: 0, max: 3 })
  const before = fc.constantFrom('', '', 'Episode ', 'S01E')
  const film = fc
    .tuple(before, small, fc.integer({ min: 1, max: 4 }), fc.oneof(filmEnding, fc.constantFrom('avi', 'jpg')))
    .map(([word, value, length, ending]) => `${word}${padded(value, length)}.${ending}`)
  const captions = fc
    .tuple(
      before,
      small,
      fc.constantFrom('en', 'EN', 'es', 'fr', 'fy', 'de', 'dy', 'pt-BR', 'it', 'en.sdh'),
      captionsEnding,
    )
    .map(([word, value, code, ending]) => `${word}${padded(value, 2)}.${code}.${ending}`)
  const cover = fc.constantFrom(
    'cover.jpg',
    'COVER.JPG',
    'cover.png',
    'cover.webp',
    'cover.heic',
    'cover.en.jpg',
    'cover.de.png',
    'cover.dy.jpg',
    'cover_fr.webp',
    'Cover.pt-BR.jpg',
    'cover.it.jpg',
  )
  const other = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter((name) => !/[/\0]/.test(name) && name !== '.' && name !== '..' && name !== descriptionFileName)
  const names = fc.uniqueArray(
    fc.oneof({ weight: 4, arbitrary: film }, { weight: 4, arbitrary: captions }, cover, other),
    { maxLength: 12 },
  )

  async function read(files: readonly string[]) {
    const folder = join(root, `drama-${++folders}`)
    mkdirSync(folder)
    for (const name of files) writeFileSync(join(folder, name), '')
    writeFileSync(join(folder, descriptionFileName), description)
    const found = await readFolder(folder)
    rmSync(folder, { recursive: true })
    if ('reason' in found) throw new Error(found.reason)
    return found
  }

  test(
    'uses or reports every file, never uses two for the same purpose, and parses names as the studio does',
    { timeout: propertyTimeoutMs },
    () =>
      checkProperty(
        fc.asyncProperty(names, async (files) => {
          const { episodes, covers, refused, unused } = await read(files)
          expect(new Set(episodes.map((episode) => episode.number)).size).toBe(episodes.length)
          const used = episodes.flatMap((episode) => {
            const name = basename(episode.path)
            expect(parseFileName(name)).toEqual({ kind: 'film', number: episode.number, language: undefined })
            const inLanguages = episode.captions.map(({ language, path }) => {
              expect(parseFileName(basename(path))).toEqual({
                kind: 'captions',
                number: episode.number,
                language,
              })
              return language
            })
            expect(new Set(inLanguages).size).toBe(inLanguages.length)
            return [name, ...episode.captions.map(({ path }) => basename(path))]
          })
          used.push(...covers.map(({ path }) => basename(path)))
          expect(new Set(covers.map(({ language }) => language)).size).toBe(covers.length)
          const expected = files.filter((name) => parseFileName(name).kind !== 'system')
          const named = [...used, ...refused.map(({ file }) => basename(file)), ...unused]
          expect(named.toSorted()).toEqual(expected.toSorted())
        }),
      ),
  )
})
