import { open, type FileHandle } from 'node:fs/promises'

const headerId = 0x1a45dfa3
const segmentId = 0x18538067
const clusterId = 0x1f43b675

/**
 * Whether a Matroska or WebM file ends before the length that it declares for itself. A recording that declares none is never cut off.
 * https://www.rfc-editor.org/rfc/rfc8794
 */
export async function isMatroskaCut(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    for await (const { id, end } of elementsOf(file))
      if (id === segmentId) return end !== undefined && end > size
    return false
  } finally {
    await file.close()
  }
}

/** Whether a Matroska or WebM file has another one behind it, such as recordings of a browser that were written one after the other. */
export async function isMatroskaJoined(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    let headers = 0
    for await (const { id } of elementsOf(file)) if (id === headerId && ++headers > 1) return true
    return false
  } finally {
    await file.close()
  }
}

/** An element: its ID, and where it ends; undefined if it does not say so, as in a live recording. */
interface Element {
  id: number
  end: number | undefined
}

/** Enough for 3.5 hours of 60 pictures and 100 packets of sound a second. */
const mostElements = 3_000_000

/** The outermost elements of a file, and those inside of segments and clusters without an end, up to the first that can't be read. */
async function* elementsOf(file: FileHandle): AsyncGenerator<Element> {
  const headAt = readAhead(file)
  for (let at = 0, read = 0; read < mostElements; read++) {
    const head = await headAt(at)
    const id = readId(head)
    const length = id && readLength(head, id.bytes)
    if (!id || !length) return
    const start = at + length.end
    const end = length.length === undefined ? undefined : start + length.length
    yield { id: id.value, end }
    if (end === undefined && id.value !== segmentId && id.value !== clusterId) return
    at = end ?? start
  }
}

const longestHead = 12
const windowBytes = 64 * 1024

/** Reads the head of the element at a place. The blocks of a live recording are small and many: each reading serves several. */
function readAhead(file: FileHandle): (at: number) => Promise<Buffer> {
  let [from, bytes] = [0, Buffer.alloc(0)]
  return async (at) => {
    if (at < from || at + longestHead > from + bytes.length) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(windowBytes), 0, windowBytes, at)
      bytes = buffer.subarray(0, bytesRead)
      from = at
    }
    return bytes.subarray(at - from, at - from + longestHead)
  }
}

/** An ID has one to four bytes, as many as the first bit that is set says. */
function readId(head: Buffer): { value: number; bytes: number } | undefined {
  const bytes = Math.clz32(head[0] ?? 0) - 23
  if (bytes > 4 || bytes > head.length) return undefined
  return { value: head.readUIntBE(0, bytes), bytes }
}

/** A length of one to eight bytes: the first bit that is set says how many. Where all others are set, there is no length. */
function readLength(buffer: Buffer, at: number): { length: number | undefined; end: number } | undefined {
  const bytes = Math.clz32(buffer[at] ?? 0) - 23
  if (bytes > 8 || at + bytes > buffer.length) return undefined
  const mark = 1n << BigInt(7 * bytes)
  const value = BigInt(`0x${buffer.toString('hex', at, at + bytes)}`) - mark
  return { length: value === mark - 1n ? undefined : Number(value), end: at + bytes }
}
