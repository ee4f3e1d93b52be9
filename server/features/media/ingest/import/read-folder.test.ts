import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { description } from '#server/testing/media/run-test-media.ts'
import { readFolder } from './read-folder.ts'

let root: string
let folders = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-folder-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** The folder of a drama with these files beside its `video.yaml`. */
async function read(...names: string[]) {
  const folder = join(root, `salt-${++folders}`)
  mkdirSync(folder)
  for (const name of ['video.yaml', ...names])
    writeFileSync(join(folder, name), name === 'video.yaml' ? description : '')
  const found = await readFolder(folder)
  if ('reason' in found) throw new Error(found.reason)
  const { episodes, cover, refused, unused } = found
  return {
    episodes: episodes.map(({ number, path, captions }) => [
      number,
      basename(path),
      ...captions.map((caption) => [caption.language, basename(caption.path)]),
    ]),
    cover: cover && basename(cover),
    refused: refused.map(({ file }) => basename(file)),
    unused,
  }
}

// A pattern that tries each way to divide the letters would not come to an end.
test.each([`${'a'.repeat(60)}!`, `${'a'.repeat(100_000)}!`, 'a--b', '-a', 'a.', 'ä'])(
  'a folder named %s is refused by its name',
  async (name) => {
    expect(await readFolder(`/nowhere/${name}`)).toMatchObject({ file: name, reason: expect.any(String) })
  },
)

test('a folder is read by the names that the studio reads', async () => {
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
    cover: 'cover.heic',
    refused: [],
    unused: [],
  })
})

test('every file that is not used is named, but those of operating systems', async () => {
  const films = ['01.mp4', 'Episode 1.mov', 'trailer.mp4', '02.avi']
  const captions = ['01.en.vtt', '01.en.forced.vtt', '01.it.vtt', '07.en.vtt', 'en.vtt', '01.en.sub']
  const others = ['notes.txt', 'poster.jpg', '.DS_Store', '._01.mp4', 'Thumbs.db', 'cover.png', 'cover.heic']
  const { refused, ...found } = await read(...films, ...captions, ...others)
  expect(found).toEqual({
    episodes: [[1, '01.mp4', ['en', '01.en.vtt']]],
    cover: 'cover.png',
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
