/** A part of an MP4 file: its type, and its bytes with the header. */
interface Box {
  type: string
  bytes: Buffer
}

/**
 * The boxes that lie side by side in a file.
 * @throws Error where a box says it is longer than what is there
 */
export function splitBoxes(file: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at < file.length;) {
    const size = at + 8 <= file.length ? file.readUInt32BE(at) : 0
    if (size < 8 || at + size > file.length)
      throw new Error(`A segment is incomplete: its box at byte ${at} goes beyond its end.`)
    boxes.push({ type: file.toString('latin1', at + 4, at + 8), bytes: file.subarray(at, at + size) })
    at += size
  }
  return boxes
}

/**
 * Several segments as one: their fragments one after another under the first one's head. The index (sidx) of the parts is left
 * out, as it would be wrong for the whole.
 */
export function joinSegments(parts: readonly Buffer[]): Buffer {
  const boxes = parts.flatMap((part, index) =>
    splitBoxes(part).filter(({ type }) => type !== 'sidx' && (index === 0 || type !== 'styp')),
  )
  return Buffer.concat(boxes.map(({ bytes }) => bytes))
}

/**
 * The codec of an H.264 track as CODECS names it (RFC 6381), from its initialisation segment.
 * @throws Error where there is none
 */
export function readAvcCodec(init: Buffer): string {
  const at = init.indexOf('avcC')
  if (at < 0) throw new Error('The initialisation segment has no H.264 track.')
  return `avc1.${init.toString('hex', at + 5, at + 8)}`
}
