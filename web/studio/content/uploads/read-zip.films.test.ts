import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { partBytes } from '#contract/studio/uploads.ts'
import { packZip, zippedAt } from '#e2e/support/pack-zip.ts'
import { readZip, UnreadableZip } from './read-zip.ts'

/** Packs files into a ZIP, as a browser's Blob. */
const makeZip = async (...args: Parameters<typeof packZip>) => new Blob([await packZip(...args)])

/** Replaces the compression method of a ZIP's only file. */
async function withMethod(zip: Blob, method: number): Promise<Blob> {
  const bytes = Buffer.from(await zip.arrayBuffer())
  bytes.writeUInt16LE(method, 8)
  bytes.writeUInt16LE(method, bytes.indexOf('PK\x01\x02', 0, 'latin1') + 10)
  return new Blob([new Uint8Array(bytes)])
}

const bytesOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer())

it('reads stored and compressed files of a ZIP with names, sizes and modification times', async () => {
  const [one, two] = [randomBytes(1000), Buffer.from('WEBVTT\n')]
  const zip = await makeZip(
    [
      { name: 'season/', content: Buffer.alloc(0) },
      { name: 'season/01.mp4', content: one },
      { name: 'season/01.en.vtt', content: two, compressed: true, zip64: true },
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
  expect(files[0]?.lastModifiedAt).toEqual(zippedAt)
  expect(await Promise.all(files.map(async (file) => bytesOf(await file.read())))).toEqual([
    one,
    two,
    Buffer.alloc(0),
  ])
})

it.each([false, true])(
  'cuts a file into parts and skips the uploaded parts (compressed: %s)',
  async (compressed) => {
    const content = randomBytes(2 * partBytes + 5)
    const [file] = await readZip(await makeZip([{ name: '01.mp4', content, compressed }]))
    const parts = []
    for await (const { part, blob } of file?.parts(new Set([0])) ?? [])
      parts.push([part, await bytesOf(blob)])
    expect(parts).toEqual([
      [1, content.subarray(partBytes, 2 * partBytes)],
      [2, content.subarray(2 * partBytes)],
    ])
  },
)

const oneFile = (options: { password?: string } = {}) =>
  makeZip([{ name: '01.mp4', content: Buffer.from('x'), ...options }])

it.each([
  ['a file that is not a ZIP', async () => new Blob(['nothing of the kind, and long enough to hold an end'])],
  ['an encrypted ZIP', () => oneFile({ password: 'secret' })],
  ['a ZIP with an unsupported compression method', async () => withMethod(await oneFile(), 14)],
  ['a truncated ZIP', async () => (await oneFile()).slice(0, -3)],
])('rejects %s', async (_what, makeBlob) => {
  await expect(readZip(await makeBlob())).rejects.toThrow(UnreadableZip)
})

it('throws when the content of a damaged file is read', async () => {
  const bytes = Buffer.from(
    await (await makeZip([{ name: '01.mp4', content: Buffer.alloc(999), compressed: true }])).arrayBuffer(),
  )
  bytes.fill(0xff, 36, 44)
  const [file] = await readZip(new Blob([new Uint8Array(bytes)]))
  await expect(file?.read()).rejects.toThrow()
})
