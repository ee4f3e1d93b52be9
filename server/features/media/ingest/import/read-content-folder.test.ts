import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleVideoYaml } from '#server/testing/media/test-media.ts'
import { findFolders, readFolder } from './read-content-folder.ts'

let root: string
let folders = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-folder-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Reads the folder of a drama with these files beside its `video.yaml`. */
async function read(...names: string[]) {
  const folder = join(root, `salt-${++folders}`)
  mkdirSync(folder)
  for (const name of ['video.yaml', ...names]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), name === 'video.yaml' ? sampleVideoYaml : '')
  }
  const found = await readFolder(folder)
  if ('reason' in found) throw new Error(found.reason)
  const { episodes, covers, refused, unused } = found
  return {
    episodes: episodes.map(({ number, path, captions }) => [
      number,
      basename(path),
      ...captions.map((caption) => [caption.language, basename(caption.path)]),
    ]),
    covers: Object.fromEntries(covers.map(({ language, path }) => [language ?? 'all', basename(path)])),
    refused: refused.map(({ file }) => relative(basename(folder), file)),
    unused,
  }
}

// Matching the two long names would not end if the pattern backtracked exponentially.
test.each([`${'a'.repeat(60)}!`, `${'a'.repeat(100_000)}!`, 'a--b', '-a', 'a.', 'ä'])(
  'a folder named %s is refused because of its name',
  async (name) => {
    expect(await readFolder(`/nowhere/${name}`)).toMatchObject({ file: name, reason: expect.any(String) })
  },
)

test('file names are recognised by the same rules as in the studio', async () => {
  const captions = ['03.pt-BR.vtt', '03.spa.srt', '03.fr.vtt', '03.en.sdh.vtt', 'Episode 5.de.ass']
  expect(await read('03.mkv', 'S01E04.mp4', 'Episode 5.mp4', 'cover.heic', ...captions)).toEqual({
    episodes: [
      [
        3,
        '03.mkv',
        ['fy', '03.fr.vtt'],
        ['es', '03.spa.srt'],
        ['pt', '03.pt-BR.vtt'],
        ['en', '03.en.sdh.vtt'],
      ],
      [4, 'S01E04.mp4'],
      [5, 'Episode 5.mp4', ['dy', 'Episode 5.de.ass']],
    ],
    covers: { all: 'cover.heic' },
    refused: [],
    unused: [],
  })
})

test('every unused file is reported, except files that operating systems create', async () => {
  const films = ['01.mp4', 'Episode 1.mov', 'trailer.mp4', '02.avi']
  const captions = ['01.en.vtt', '01.en.forced.vtt', '01.it.vtt', '07.en.vtt', 'en.vtt', '01.en.sub']
  const others = ['notes.txt', 'poster.jpg', '.DS_Store', '._01.mp4', 'Thumbs.db', 'cover.png', 'cover.heic']
  const { refused, ...found } = await read(...films, ...captions, ...others)
  expect(found).toEqual({
    episodes: [[1, '01.mp4', ['en', '01.en.vtt']]],
    covers: { all: 'cover.png' },
    unused: ['notes.txt', 'poster.jpg'],
  })
  expect(refused.toSorted()).toEqual(
    [
      'Episode 1.mov',
      'trailer.mp4',
      '02.avi',
      '01.en.forced.vtt',
      '01.it.vtt',
      '07.en.vtt',
      'en.vtt',
      '01.en.sub',
      'cover.heic',
    ].toSorted(),
  )
})

test('files in subfolders of a drama are read, as in the studio', async () => {
  const nested = ['subs/01.en.vtt', 'subs/01.de.srt', 'Season 1/02.mp4', 'art/cover.png', 'art/poster.psd']
  expect(await read('01.mp4', ...nested)).toEqual({
    episodes: [
      [1, '01.mp4', ['dy', '01.de.srt'], ['en', '01.en.vtt']],
      [2, '02.mp4'],
    ],
    covers: { all: 'cover.png' },
    refused: [],
    unused: ['art/poster.psd'],
  })
})

test('a cover is the default or applies to the language in its name, and a second cover for a language is reported', async () => {
  const inLanguages = ['cover.dy.jpg', 'cover.de.png', 'Cover_fr.WEBP', 'cover.pt-BR.jpg', 'cover.it.jpg']
  expect(await read('cover.jpg', 'cover.en.png', ...inLanguages)).toEqual({
    episodes: [],
    covers: {
      all: 'cover.jpg',
      en: 'cover.en.png',
      dy: 'cover.dy.jpg',
      fy: 'Cover_fr.WEBP',
      pt: 'cover.pt-BR.jpg',
    },
    refused: ['cover.de.png'],
    unused: ['cover.it.jpg'],
  })
})

test('the English cover is used if there is no default cover', async () => {
  expect(await read('cover.en.jpg', 'cover.es.jpg')).toMatchObject({
    covers: { all: 'cover.en.jpg', es: 'cover.es.jpg' },
    refused: [],
    unused: [],
  })
})

test('a subfolder of a drama is reported if no file in it is used', async () => {
  const nested = [
    '01.mp4',
    'extras/01.mp4',
    'other/video.yaml',
    'other/02.mp4',
    '.git/03.mp4',
    'a/b/.DS_Store',
  ]
  expect(await read(...nested)).toEqual({
    episodes: [[1, '01.mp4']],
    covers: {},
    refused: ['extras/01.mp4'],
    unused: ['other', 'a/b'],
  })
})

test('files beside the folders of dramas are reported', async () => {
  const shelf = join(root, 'shelf')
  const files = [
    'salt/video.yaml',
    'sand/video.yml',
    'sea/Video.yaml',
    'sky/01.mp4',
    '01.mp4',
    '.DS_Store',
    '.git/x',
  ]
  for (const name of files) {
    mkdirSync(dirname(join(shelf, name)), { recursive: true })
    writeFileSync(join(shelf, name), '')
  }
  const reason = 'has to be called video.yaml'
  expect(await findFolders(shelf)).toEqual({
    folders: [join(shelf, 'salt')],
    refused: [
      { file: 'sand/video.yml', reason },
      { file: 'sea/Video.yaml', reason },
    ],
    unused: ['01.mp4', 'sky (a folder without video.yaml)'],
  })
  await expect(findFolders(join(shelf, 'sand'))).rejects.toThrow('Rename video.yml to video.yaml.')
  await expect(findFolders(join(shelf, 'sky'))).rejects.toThrow(/contains a video\.yaml\.$/)
})
