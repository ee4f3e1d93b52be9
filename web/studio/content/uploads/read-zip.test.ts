import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { partBytes } from '#contract/studio/uploads.ts'
import { packZip } from '#e2e/support/pack-zip.ts'
import { readZip, UnreadableZip } from './read-zip.ts'

/** Packs files into a ZIP, as a browser's Blob. */
const makeZip = (...given: Parameters<typeof packZip>) => new Blob([new Uint8Array(packZip(...given))])

const bytesOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer())

it('reads stored and compressed files of a ZIP with names, sizes and modification times', async () => {
  const [one, two] = [randomBytes(1000), Buffer.from('WEBVTT\n')]
  const zip = makeZip(
    [
      { name: 'season/', content: Buffer.alloc(0) },
      { name: 'season/01.mp4', content: one },
      { name: 'season/01.en.vtt', content: two, method: 8, zip64: true },
      { name: 'season/02.mp4', content: Buffer.alloc(0) },
    ],
    'made by hand',
  )
  const files = await readZip(zip)
  expect(files.map(({ path, bytes }) => [path, bytes])).toEqual([
    ['season/01.mp4', 1000],
    ['season/01.en.vtt', 7],
    ['season/02.mp4', 0],
  ])
  expect(files[0]?.lastModifiedAt).toEqual(new Date(2026, 1, 3, 12, 30))
  expect(await Promise.all(files.map(async (file) => bytesOf(await file.read())))).toEqual([
    one,
    two,
    Buffer.alloc(0),
  ])
})

it.each([0, 8])('cuts files into the same parts and skips uploaded ones (method %i)', async (method) => {
  const content = randomBytes(2 * partBytes + 5)
  const [file] = await readZip(makeZip([{ name: '01.mp4', content, method }]))
  const parts = []
  for await (const { part, blob } of file?.parts(new Set([0])) ?? []) parts.push([part, await bytesOf(blob)])
  expect(parts).toEqual([
    [1, content.subarray(partBytes, 2 * partBytes)],
    [2, content.subarray(2 * partBytes)],
  ])
})

it.each([
  ['no ZIP', new Blob(['nothing of the kind, and long enough to hold an end'])],
  ['an encrypted one', makeZip([{ name: '01.mp4', content: Buffer.from('x'), flags: 1 }])],
  ['one packed another way', makeZip([{ name: '01.mp4', content: Buffer.from('x'), method: 14 }])],
  ['one that was cut off', makeZip([{ name: '01.mp4', content: Buffer.from('x') }]).slice(3)],
])('rejects %s', async (_what, zip) => {
  await expect(readZip(zip)).rejects.toThrow(UnreadableZip)
})
