import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { partBytes } from '#contract/studio/uploads.ts'
import { readZip, UnreadableZip } from './read-zip.ts'

interface Wish {
  name: string
  content: Buffer
  method?: number
  flags?: number
  zip64?: boolean
}

/** A ZIP as an archiver writes it, with its sizes in Zip64 fields where that is wished. */
function makeZip(wishes: Wish[], comment = ''): Blob {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let place = 0
  for (const { name, content, method = 0, flags = 0, zip64 = false } of wishes) {
    const packed = method === 8 ? deflateRawSync(content) : content
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50)
    local.writeUInt16LE(name.length, 26)
    local.writeUInt16LE(3, 28)
    parts.push(local, Buffer.from(name), Buffer.alloc(3), packed)
    const extra = Buffer.alloc(zip64 ? 28 : 0)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(flags, 8)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt16LE((12 << 11) | (30 << 5), 12)
    entry.writeUInt16LE(((2026 - 1980) << 9) | (2 << 5) | 3, 14)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt16LE(extra.length, 30)
    for (const [at, value] of [
      [20, packed.length],
      [24, content.length],
      [42, place],
    ] as const)
      entry.writeUInt32LE(zip64 ? 0xffffffff : value, at)
    if (zip64) {
      extra.writeUInt16LE(1)
      extra.writeUInt16LE(24, 2)
      for (const [index, value] of [content.length, packed.length, place].entries())
        extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
    }
    directory.push(entry, Buffer.from(name), extra)
    place += 33 + name.length + packed.length
  }
  const whole = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(wishes.length, 10)
  end.writeUInt32LE(whole.length, 12)
  end.writeUInt32LE(place, 16)
  end.writeUInt16LE(comment.length, 20)
  return new Blob([...parts, whole, end, Buffer.from(comment)].map((part) => new Uint8Array(part)))
}

const bytesOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer())

it('gives the files of a ZIP, stored and compressed, with names, sizes and last changes', async () => {
  const [one, two] = [randomBytes(1000), Buffer.from('WEBVTT\n')]
  const zip = makeZip(
    [
      { name: 'season/', content: Buffer.alloc(0) },
      { name: 'season/01.mp4', content: one },
      { name: 'season/01.en.vtt', content: two, method: 8, zip64: true },
    ],
    'made by hand',
  )
  const files = await readZip(zip)
  expect(files.map(({ path, bytes }) => [path, bytes])).toEqual([
    ['season/01.mp4', 1000],
    ['season/01.en.vtt', 7],
  ])
  expect(files[0]?.changedAt).toEqual(new Date(2026, 1, 3, 12, 30))
  expect(await Promise.all(files.map(async (file) => bytesOf(await file.read())))).toEqual([one, two])
})

it.each([0, 8])(
  'cuts into the same parts and leaves out those that are there (method %i)',
  async (method) => {
    const content = randomBytes(2 * partBytes + 5)
    const [file] = await readZip(makeZip([{ name: '01.mp4', content, method }]))
    const parts = []
    for await (const { part, blob } of file?.parts(new Set([0])) ?? [])
      parts.push([part, await bytesOf(blob)])
    expect(parts).toEqual([
      [1, content.subarray(partBytes, 2 * partBytes)],
      [2, content.subarray(2 * partBytes)],
    ])
  },
)

it.each([
  ['no ZIP', new Blob(['nothing of the kind, and long enough to hold an end'])],
  ['an encrypted one', makeZip([{ name: '01.mp4', content: Buffer.from('x'), flags: 1 }])],
  ['one packed another way', makeZip([{ name: '01.mp4', content: Buffer.from('x'), method: 14 }])],
  ['one that was cut off', makeZip([{ name: '01.mp4', content: Buffer.from('x') }]).slice(3)],
])('refuses %s', async (_what, zip) => {
  await expect(readZip(zip)).rejects.toThrow(UnreadableZip)
})
