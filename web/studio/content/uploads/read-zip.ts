import { fromBlob, fromStream, type SourceFile } from './source-file.ts'

/**
 * Thrown for a ZIP that cannot be read: damaged, encrypted, or with a compression method that browsers do not support.
 */
export class UnreadableZip extends Error {
  override name = 'UnreadableZip'
}

const endMark = 0x06054b50
const end64Mark = 0x06064b50
const end64PlaceMark = 0x07064b50
const entryMark = 0x02014b50
const localMark = 0x04034b50
const endBytes = 22
const longestComment = 65_535
const inZip64 = 0xffffffff
const stored = 0
const deflated = 8

interface Entry {
  path: string
  lastModifiedAt: Date
  method: number
  isEncrypted: boolean
  packed: number
  bytes: number
  /** Offset of the entry's local header. */
  place: number
}

/**
 * Lists the files in a ZIP. Their content is read later, directly from the ZIP, so that a season may be larger than the
 * memory.
 * @throws UnreadableZip
 */
export async function readZip(zip: Blob): Promise<SourceFile[]> {
  const { count, place, bytes } = await findDirectory(zip)
  const entries = readDirectory(await view(zip, place, bytes), count)
  const files = entries.filter(({ path }) => !path.endsWith('/'))
  return Promise.all(files.map((entry) => openEntry(zip, entry)))
}

async function view(zip: Blob, from: number, bytes: number): Promise<DataView> {
  if (from < 0 || from + bytes > zip.size) throw new UnreadableZip()
  return new DataView(await zip.slice(from, from + bytes).arrayBuffer())
}

const u16 = (data: DataView, at: number) => data.getUint16(at, true)
const u32 = (data: DataView, at: number) => data.getUint32(at, true)
const u64 = (data: DataView, at: number) => Number(data.getBigUint64(at, true))

async function findDirectory(zip: Blob): Promise<{ count: number; place: number; bytes: number }> {
  const from = Math.max(0, zip.size - endBytes - longestComment)
  const tail = await view(zip, from, zip.size - from)
  let at = tail.byteLength - endBytes
  while (at >= 0 && u32(tail, at) !== endMark) at--
  if (at < 0) throw new UnreadableZip()
  const small = { count: u16(tail, at + 10), bytes: u32(tail, at + 12), place: u32(tail, at + 16) }
  if (small.count !== 0xffff && small.place !== inZip64 && small.bytes !== inZip64) return small
  if (at < 20 || u32(tail, at - 20) !== end64PlaceMark) throw new UnreadableZip()
  const end64 = await view(zip, u64(tail, at - 12), 56)
  if (u32(end64, 0) !== end64Mark) throw new UnreadableZip()
  return { count: u64(end64, 32), bytes: u64(end64, 40), place: u64(end64, 48) }
}

function readDirectory(data: DataView, count: number): Entry[] {
  const entries: Entry[] = []
  let at = 0
  for (let index = 0; index < count; index++) {
    if (at + 46 > data.byteLength || u32(data, at) !== entryMark) throw new UnreadableZip()
    const lengths = { name: u16(data, at + 28), extra: u16(data, at + 30), comment: u16(data, at + 32) }
    const name = new Uint8Array(data.buffer, data.byteOffset + at + 46, lengths.name)
    entries.push({
      path: new TextDecoder().decode(name),
      lastModifiedAt: timeOf(u16(data, at + 14), u16(data, at + 12)),
      method: u16(data, at + 10),
      isEncrypted: (u16(data, at + 8) & 1) === 1,
      ...sizesOf(data, at, at + 46 + lengths.name, lengths.extra),
    })
    at += 46 + lengths.name + lengths.extra + lengths.comment
  }
  return entries
}

/**
 * Reads the sizes and the offset of an entry. Values beyond 4 GiB are in an extra field (Zip64), which contains only
 * the values that need it, in this order.
 */
function sizesOf(data: DataView, at: number, extra: number, length: number) {
  const sizes = { bytes: u32(data, at + 24), packed: u32(data, at + 20), place: u32(data, at + 42) }
  for (let field = extra; field + 4 <= extra + length; field += 4 + u16(data, field + 2)) {
    if (u16(data, field) !== 1) continue
    let next = field + 4
    for (const name of ['bytes', 'packed', 'place'] as const) {
      if (sizes[name] !== inZip64) continue
      sizes[name] = u64(data, next)
      next += 8
    }
  }
  return sizes
}

/** Converts a ZIP's date and time, which are local and have a resolution of two seconds. */
function timeOf(date: number, time: number): Date {
  const [year, month, day] = [1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31]
  return new Date(year, month, day, time >> 11, (time >> 5) & 63, (time & 31) * 2)
}

async function openEntry(
  zip: Blob,
  { path, lastModifiedAt, method, isEncrypted, packed, bytes, place }: Entry,
) {
  const head = await view(zip, place, 30)
  if (u32(head, 0) !== localMark || isEncrypted || (method !== stored && method !== deflated))
    throw new UnreadableZip()
  const from = place + 30 + u16(head, 26) + u16(head, 28)
  const content = zip.slice(from, from + packed)
  if (method === stored) return fromBlob(content, path, lastModifiedAt)
  const unpack = () => content.stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return fromStream(unpack, { path, bytes, lastModifiedAt })
}
