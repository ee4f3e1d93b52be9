import { open, type FileHandle } from 'node:fs/promises'

/** A box of an MP4 file: its type, and its bytes with the header. */
interface Box {
  type: string
  bytes: Buffer
}

/**
 * Splits a file into its top-level boxes.
 * @throws Error if a box claims to be longer than the file
 */
export function splitBoxes(file: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at < file.length;) {
    const size = at + 8 <= file.length ? file.readUInt32BE(at) : 0
    if (size < 8 || at + size > file.length)
      throw new Error(`A segment is incomplete: the box at byte ${at} extends beyond the end of the segment.`)
    boxes.push({ type: file.toString('latin1', at + 4, at + 8), bytes: file.subarray(at, at + size) })
    at += size
  }
  return boxes
}

const maxBoxes = 10_000

/** Returns the types of a file's top-level boxes, and whether the last box ends exactly at the end of the file. */
export async function readBoxOutline(path: string): Promise<{ types: string[]; isWhole: boolean }> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const types: string[] = []
    let end = 0
    for await (const box of boxesOf(file, size)) {
      if (types.push(box.type) >= maxBoxes) break
      end = box.end
    }
    return { types, isWhole: end === size }
  } finally {
    await file.close()
  }
}

/** Maximum number of boxes that are read. It is enough for 3.5 hours in fragments of a third of a second. */
const maxFragments = 100_000
const maxFragmentHeaderBytes = 1024 ** 2

/**
 * Returns whether a file consists of several concatenated recordings: it has a second index (moov), or the clock of its
 * fragments jumps back. Some programs repeat the index before each fragment. If the clock is continuous, such a file is
 * one recording.
 */
export async function isMp4Joined(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const clocks = new Map<number, number>()
    let [indexes, boxes] = [0, 0]
    for await (const { type, start, end } of boxesOf(file, size)) {
      if (++boxes > maxFragments) return false
      if (type === 'moov' && ++indexes > 1 && clocks.size === 0) return true
      if (type !== 'moof' || end - start > maxFragmentHeaderBytes) continue
      const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
      for (const [track, time] of fragmentTimes(buffer)) {
        if (time < (clocks.get(track) ?? 0)) return true
        clocks.set(track, time)
      }
    }
    return false
  } finally {
    await file.close()
  }
}

const maxIndexBytes = 256 * 1024 ** 2

/** Returns whether a track is encrypted (ISO 23001-7). ffmpeg would decode such a track to noise. */
export async function isMp4Encrypted(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    let boxes = 0
    for await (const { type, start, end } of boxesOf(file, size)) {
      if (++boxes > maxBoxes) return false
      if (type !== 'moov' || end - start > maxIndexBytes) continue
      const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
      return trackFormats(buffer).some((format) => format === 'encv' || format === 'enca')
    }
    return false
  } finally {
    await file.close()
  }
}

/** Returns the boxes of a type inside the given boxes. */
function childrenOf(parents: Buffer[], type: string): Buffer[] {
  return parents
    .flatMap((parent) => boxesIn(parent).filter((box) => box.type === type))
    .map(({ bytes }) => bytes)
}

/** Returns the format of each track in an index (moov), such as `avc1`. */
function trackFormats(moov: Buffer): string[] {
  const descriptions = ['trak', 'mdia', 'minf', 'stbl', 'stsd'].reduce(childrenOf, [moov])
  // The format is in the first entry, after the box's header, version, flags and count, and the entry's length.
  return descriptions.map((description) => description.toString('latin1', 20, 24))
}

/**
 * Returns the start time of each track in a fragment (moof), in the track's own time units. Omits tracks without a
 * start time.
 */
function fragmentTimes(moof: Buffer): Map<number, number> {
  const times = new Map<number, number>()
  for (const { bytes } of boxesIn(moof).filter(({ type }) => type === 'traf')) {
    const parts = boxesIn(bytes)
    const header = parts.find(({ type }) => type === 'tfhd')?.bytes
    const time = parts.find(({ type }) => type === 'tfdt')?.bytes
    if (!header || header.length < 16 || !time || time.length < 16) continue
    const isLong = time.readUInt8(8) === 1 && time.length >= 20
    times.set(header.readUInt32BE(12), isLong ? Number(time.readBigUInt64BE(12)) : time.readUInt32BE(12))
  }
  return times
}

/**
 * Returns the seconds by which ffmpeg shows a track too late. In a fragmented file, a composition offset may be negative,
 * so that a frame is shown before its decoding time. ffmpeg then delays the whole track, but not the other tracks.
 */
export async function readTrackDelay(path: string, trackId: number): Promise<number> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    let [timeScale, boxes] = [0, 0]
    for await (const { type, start, end } of boxesOf(file, size)) {
      if (++boxes > maxBoxes) break
      const maxBytes = type === 'moov' ? maxIndexBytes : type === 'moof' ? maxFragmentHeaderBytes : 0
      if (end - start > maxBytes) continue
      const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
      if (type === 'moov') timeScale = timeScaleOf(buffer, trackId)
      const offsets = type === 'moof' ? compositionOffsets(buffer, trackId) : []
      // ffmpeg derives the delay from the first fragment.
      if (offsets.length > 0) return delayOf(offsets, timeScale)
    }
    return 0
  } finally {
    await file.close()
  }
}

/** Maximum delay in seconds. No encoder needs more to reorder frames, so a file with a longer delay is damaged. */
const maxDelay = 10

function delayOf(offsets: readonly number[], timeScale: number): number {
  const lowest = offsets.reduce((lowestSoFar, offset) => Math.min(lowestSoFar, offset), 0)
  const delay = timeScale > 0 ? -lowest / timeScale : 0
  return delay <= maxDelay ? delay : 0
}

/** Returns the time units per second of a track in an index (moov); 0 if unknown. */
function timeScaleOf(moov: Buffer, trackId: number): number {
  for (const { bytes: track } of boxesIn(moov).filter(({ type }) => type === 'trak')) {
    const [header] = childrenOf([track], 'tkhd')
    const [media] = childrenOf(childrenOf([track], 'mdia'), 'mdhd')
    if (valueAfterDates(header) === trackId) return valueAfterDates(media) ?? 0
  }
  return 0
}

/** Returns the value after the two dates of a header. The dates have 64 bits in version 1. */
function valueAfterDates(header: Buffer | undefined): number | undefined {
  const at = header?.[8] === 1 ? 28 : 20
  return header && header.length >= at + 4 ? header.readUInt32BE(at) : undefined
}

/**
 * Flags of the fields in a fragment's table of samples (trun). Each field has 4 bytes. `headerFields` occur once, the
 * other fields once per sample.
 */
const headerFields = [0x1, 0x4]
const sampleFields = [0x100, 0x200, 0x400]
const offsetField = 0x800

/** Returns the composition offsets of a track's samples in a fragment (moof), in the track's own time units. */
function compositionOffsets(moof: Buffer, trackId: number): number[] {
  const fragments = childrenOf([moof], 'traf').filter((fragment) => {
    const [header] = childrenOf([fragment], 'tfhd')
    return header !== undefined && header.length >= 16 && header.readUInt32BE(12) === trackId
  })
  return childrenOf(fragments, 'trun').flatMap((samples) => {
    const flags = samples.length < 16 ? 0 : samples.readUInt32BE(8)
    if (!(flags & offsetField)) return []
    const bytesOf = (fields: number[]) => 4 * fields.filter((field) => flags & field).length
    const first = 16 + bytesOf(headerFields) + bytesOf(sampleFields)
    const step = bytesOf([...sampleFields, offsetField])
    const fitting = Math.floor((samples.length - first - 4) / step) + 1
    const count = Math.max(0, Math.min(samples.readUInt32BE(12), fitting))
    return Array.from({ length: count }, (_, index) => samples.readInt32BE(first + index * step))
  })
}

/** Returns the boxes inside a box, up to the first unreadable one. */
function boxesIn(box: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 8; at + 8 <= box.length;) {
    const size = box.readUInt32BE(at)
    if (size < 8 || at + size > box.length) break
    boxes.push({ type: box.toString('latin1', at + 4, at + 8), bytes: box.subarray(at, at + size) })
    at += size
  }
  return boxes
}

/** Yields the top-level boxes of a file on disk, up to the first box with an invalid length. */
async function* boxesOf(
  file: FileHandle,
  size: number,
): AsyncGenerator<{ type: string; start: number; end: number }> {
  for (let start = 0; start < size;) {
    const box = await readHeader(file, start, size)
    if (!box) return
    yield { ...box, start }
    start = box.end
  }
}

/**
 * Reads a box header. A length of 0 means that the box extends to the end of the file. A length of 1 means that the
 * actual length follows in 64 bits.
 */
async function readHeader(
  file: FileHandle,
  start: number,
  fileSize: number,
): Promise<{ type: string; end: number } | undefined> {
  const { buffer: header } = await file.read(Buffer.alloc(16), 0, 16, start)
  const short = header.readUInt32BE(0)
  const length = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? fileSize - start : short
  return length < 8 ? undefined : { type: header.toString('latin1', 4, 8), end: start + length }
}

/**
 * Joins segments: the fragments of all parts follow the header of the first part. Omits the index (sidx) of each part,
 * because it would be wrong in the joined segment.
 */
export function joinSegments(parts: readonly Buffer[]): Buffer {
  const boxes = parts.flatMap((part, index) =>
    splitBoxes(part).filter(({ type }) => type !== 'sidx' && (index === 0 || type !== 'styp')),
  )
  return Buffer.concat(boxes.map(({ bytes }) => bytes))
}

/**
 * Reads a track's codec string (RFC 6381, for the CODECS attribute) from its initialisation segment.
 * @throws Error if the segment has no track of this codec
 */
export function readCodec(codec: 'avc' | 'hevc' | 'av1', init: Buffer): string {
  const box = { avc: 'avcC', hevc: 'hvcC', av1: 'av1C' }[codec]
  const at = init.indexOf(box)
  if (at < 0) throw new Error(`The initialisation segment has no ${codec} track.`)
  // Skip the type of the box (4 bytes) and the version of the record (1 byte).
  const record = init.subarray(at + 5)
  if (codec === 'avc') return `avc1.${record.toString('hex', 0, 3)}`
  return codec === 'hevc' ? hevcCodec(record) : av1Codec(record)
}

/** Formats profile, compatibility flags (bits reversed), tier and level, and constraints without trailing zeros. */
function hevcCodec(record: Buffer): string {
  const first = record.readUInt8(0)
  const space = ['', 'A', 'B', 'C'][first >> 6] ?? ''
  let compatibility = 0
  for (let bit = 0, bits = record.readUInt32BE(1); bit < 32; bit++, bits >>>= 1)
    compatibility = ((compatibility << 1) | (bits & 1)) >>> 0
  const limits = record.toString('hex', 5, 11).replace(/(00)+$/, '')
  const parts = [
    `${space}${first & 31}`,
    compatibility.toString(16),
    `${first & 32 ? 'H' : 'L'}${record.readUInt8(11)}`,
    ...(limits.match(/../g) ?? []),
  ]
  return `hvc1.${parts.join('.')}`
}

/** Formats profile, level and tier, and bits per sample. */
function av1Codec(record: Buffer): string {
  const [first, second] = [record.readUInt8(0), record.readUInt8(1)]
  const level = String(first & 31).padStart(2, '0')
  const bits = second & 64 ? (second & 32 ? '12' : '10') : '08'
  return `av01.${first >> 5}.${level}${second & 128 ? 'H' : 'M'}.${bits}`
}
