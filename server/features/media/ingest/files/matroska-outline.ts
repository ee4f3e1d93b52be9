import { open } from 'node:fs/promises'

const segmentId = '18538067'

/**
 * Whether a Matroska or WebM file ends before the length that it declares for itself. A recording that declares none is never cut off.
 * https://www.rfc-editor.org/rfc/rfc8794
 */
export async function isMatroskaCut(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    // The header comes first; only its length is of interest.
    const header = readLength(buffer, 4)
    const at = header ? header.end + header.length : 0
    if (buffer.toString('hex', at, at + 4) !== segmentId) return false
    const segment = readLength(buffer, at + 4)
    return segment !== undefined && segment.end + segment.length > size
  } finally {
    await file.close()
  }
}

/** A length of one to eight bytes: the first bit that is set says how many. Undefined where all others are set, which is no length. */
function readLength(buffer: Buffer, at: number): { length: number; end: number } | undefined {
  const bytes = Math.clz32(buffer[at] ?? 0) - 23
  if (bytes > 8 || at + bytes > buffer.length) return undefined
  let value = BigInt(`0x${buffer.toString('hex', at, at + bytes)}`)
  const mark = 1n << BigInt(7 * bytes)
  value -= mark
  return value === mark - 1n ? undefined : { length: Number(value), end: at + bytes }
}
