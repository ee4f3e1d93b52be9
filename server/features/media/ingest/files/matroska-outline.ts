import { open, type FileHandle } from 'node:fs/promises'

const headerId = 0x1a45dfa3
const segmentId = 0x18538067
const clusterId = 0x1f43b675

/**
 * Returns whether a Matroska or WebM file ends before its declared length. A file that declares no length is never
 * considered truncated. https://www.rfc-editor.org/rfc/rfc8794
 */
export async function isMatroskaTruncated(path: string): Promise<boolean> {
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

/** Returns whether another Matroska or WebM file was appended to this one, as in concatenated browser recordings. */
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

/**
 * An EBML element: its ID, and the position of its end. `end` is undefined if no length is declared, as in a live
 * recording.
 */
interface Element {
  id: number
  end: number | undefined
}

/** Maximum number of elements that are read. It is enough for 3.5 hours of 60 frames and 100 audio packets a second. */
const maxElements = 3_000_000

/**
 * Yields a file's top-level elements, and those inside segments and clusters without a length. Stops at the first
 * unreadable element.
 */
async function* elementsOf(file: FileHandle): AsyncGenerator<Element> {
  const readHeaderAt = createHeaderReader(file)
  for (let at = 0, read = 0; read < maxElements; read++) {
    const header = await readHeaderAt(at)
    const id = readId(header)
    const length = id && readLength(header, id.bytes)
    if (!id || !length) return
    const start = at + length.end
    const end = length.length === undefined ? undefined : start + length.length
    yield { id: id.value, end }
    if (end === undefined && id.value !== segmentId && id.value !== clusterId) return
    at = end ?? start
  }
}

const maxHeaderBytes = 12
const windowBytes = 64 * 1024

/**
 * Creates a buffered reader of element headers. One read of the file serves many of the small blocks of a live
 * recording.
 */
function createHeaderReader(file: FileHandle): (at: number) => Promise<Buffer> {
  let [from, bytes] = [0, Buffer.alloc(0)]
  return async (at) => {
    if (at < from || at + maxHeaderBytes > from + bytes.length) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(windowBytes), 0, windowBytes, at)
      bytes = buffer.subarray(0, bytesRead)
      from = at
    }
    return bytes.subarray(at - from, at - from + maxHeaderBytes)
  }
}

/** Reads an element ID of one to four bytes. The position of the first set bit is the number of bytes. */
function readId(head: Buffer): { value: number; bytes: number } | undefined {
  const bytes = Math.clz32(head[0] ?? 0) - 23
  if (bytes > 4 || bytes > head.length) return undefined
  return { value: head.readUIntBE(0, bytes), bytes }
}

/**
 * Reads a length of one to eight bytes. The position of the first set bit is the number of bytes. If all bits after it
 * are set, the length is unknown.
 */
function readLength(buffer: Buffer, at: number): { length: number | undefined; end: number } | undefined {
  const bytes = Math.clz32(buffer[at] ?? 0) - 23
  if (bytes > 8 || at + bytes > buffer.length) return undefined
  const mark = 1n << BigInt(7 * bytes)
  const value = BigInt(`0x${buffer.toString('hex', at, at + bytes)}`) - mark
  return { length: value === mark - 1n ? undefined : Number(value), end: at + bytes }
}
