import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

/**
 * The characters of Windows-1252 that the site's languages and their neighbours use. A file in another legacy encoding
 * has other characters if it is read as Windows-1252, so it is refused. "Š" is excluded because its byte is "ä" in Mac
 * OS Roman.
 */
const legacyCharacters =
  /^[\x20-\x7e\s\u00AD¡¿«»‹›“”„‚‘’–—…•·¶ªº°²€£¢§©®™´½¼¾×áàâãäåçéèêëíîïñóôõöøúùûüßœæÁÀÂÃÄÅÇÉÈÊËÍÎÏÑÓÔÕÖØÚÙÛÜŒÆ]*$/u
/** Matches an opening quote directly after a letter. In a DOS code page, its byte is an "é" or "ä". */
const dosCharacters = /\p{L}[‚„]/u

/**
 * Decodes a caption file as UTF-8, or as UTF-16 if it has a byte order mark or the zero bytes of UTF-16. In UTF-8, a
 * few invalid bytes become U+FFFD, as in browsers. Otherwise decodes the file as Windows-1252, which older tools write,
 * if the result has only characters of the site's languages.
 * @throws UnusableFile
 */
export function decodeCaptions(bytes: Buffer): string {
  const utf16Encoding = detectUtf16(bytes)
  if (utf16Encoding !== undefined) return decode(utf16Encoding, bytes) ?? refuse('notText')
  const text = decode('utf-8', bytes)
  if (text?.includes('\0')) refuse('notText')
  if (text !== undefined) return text
  const damaged = new TextDecoder('utf-8').decode(bytes)
  if (isMostlyUtf8(damaged)) return damaged.includes('\0') ? refuse('notText') : damaged
  const legacy = new TextDecoder('windows-1252').decode(bytes)
  return legacyCharacters.test(legacy) && !dosCharacters.test(legacy) ? legacy : refuse('notUtf8')
}

/** Returns whether text decoded as UTF-8 has more characters of several bytes than invalid bytes. */
function isMostlyUtf8(text: string): boolean {
  const invalid = text.match(/\uFFFD/g)?.length ?? 0
  return (text.match(/[^\0-\x7f\uFFFD]/gu)?.length ?? 0) > invalid
}

function decode(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function refuse(key: 'notText' | 'notUtf8'): never {
  throw new UnusableFile({ key })
}

/**
 * Detects UTF-16 by its byte order mark or its zero bytes. Timestamps and line ends are ASCII, so in UTF-16 every
 * second byte of them is 0.
 */
function detectUtf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const byteOrderMark = bytes.toString('hex', 0, 2)
  if (byteOrderMark === 'fffe') return 'utf-16le'
  if (byteOrderMark === 'feff') return 'utf-16be'
  const start = bytes.subarray(0, 1024)
  const zeros = (first: number) => start.filter((byte, at) => at % 2 === first && byte === 0).length
  const many = start.length / 8
  if (zeros(1) > many && zeros(0) === 0) return 'utf-16le'
  return zeros(0) > many && zeros(1) === 0 ? 'utf-16be' : undefined
}
