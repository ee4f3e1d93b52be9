import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

/**
 * The characters of Windows-1252 that the site's languages and their neighbours use. Read as Windows-1252, a file in
 * another legacy encoding contains other characters, so it is refused. "Š" is excluded because its byte is "ä" in Mac
 * OS Roman.
 */
const legacyCharacters =
  /^[\x20-\x7e\s\u00AD¡¿«»‹›“”„‚‘’–—…•·¶ªº°²€£¢§©®™´½¼¾×áàâãäåçéèêëíîïñóôõöøúùûüßœæÁÀÂÃÄÅÇÉÈÊËÍÎÏÑÓÔÕÖØÚÙÛÜŒÆ]*$/u
/** Matches an opening quote directly after a letter. In a DOS code page, its byte is an "é" or "ä". */
const dosCharacters = /\p{L}[‚„]/u

/**
 * Decodes a caption file as UTF-8, or as UTF-16 if it has a byte order mark or the zero bytes of UTF-16. In UTF-8, a
 * few invalid bytes become U+FFFD, as in browsers. If there are more, the invalid bytes are read as Windows-1252, which
 * older tools write, and the other bytes as UTF-8. The file is refused if the result has characters of other languages.
 * @throws UnusableFile
 */
export function decodeCaptions(bytes: Buffer): string {
  const utf16Encoding = detectUtf16(bytes)
  if (utf16Encoding !== undefined) return decode(utf16Encoding, bytes) ?? refuse('notText')
  if (bytes.includes(0)) refuse('notText')
  const text = decode('utf-8', bytes)
  if (text !== undefined) return text
  const damaged = new TextDecoder('utf-8').decode(bytes)
  return isSlightlyDamaged(damaged) ? damaged : decodeLegacy(bytes)
}

/**
 * Text is damaged UTF-8 if it has at least this many multi-byte characters for each invalid byte. Otherwise it has
 * another encoding.
 */
const minValidPerInvalid = 8

function isSlightlyDamaged(text: string): boolean {
  const invalid = text.match(/\uFFFD/g)?.length ?? 0
  return (text.match(/[^\0-\x7f\uFFFD]/gu)?.length ?? 0) >= minValidPerInvalid * invalid
}

/**
 * Matches a byte order mark, a caption character, or a character that is cut off, all in UTF-8. Also matches any other
 * byte above ASCII.
 */
const encodedBytes =
  /\xef\xbb\xbf|[\xc2\xc3\xc5][\x80-\xbf]|\xe2[\x80-\x9e][\x80-\xbf]|\xf0\x9f[\x80-\xbf]{2}|\xe2\x80|[\x80-\xff]/g
/** Symbols in captions that Windows-1252 lacks, such as ♪. */
const symbols = /^[\u2000-\u27BF\u{1F000}-\u{1FAFF}]$/u

/**
 * Decodes Windows-1252. A file that was joined from several files may also contain UTF-8, so characters in UTF-8 are
 * recognised.
 * @throws UnusableFile
 */
function decodeLegacy(bytes: Buffer): string {
  let isKnown = true
  const text = bytes.toString('latin1').replaceAll(encodedBytes, (part) => {
    const encoded = Buffer.from(part, 'latin1')
    const character = part.length > 1 ? encoded.toString('utf8') : ''
    if (character === '\uFEFF') return ''
    if (character === '\uFFFD' || symbols.test(character)) return character
    if (character !== '' && legacyCharacters.test(character)) return character
    const legacy = new TextDecoder('windows-1252').decode(encoded)
    isKnown &&= legacyCharacters.test(legacy)
    return legacy
  })
  return isKnown && !dosCharacters.test(text) ? text : refuse('notUtf8')
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
