import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

/**
 * Characters that Windows-1252 adds to ASCII in the site's and neighbouring languages. Other legacy encodings yield other
 * characters and are refused. "Š" is excluded: it is an "ä" in old Macintosh encoding.
 */
const legacyCharacters =
  /^[\x20-\x7e\s\u00AD¡¿«»‹›“”„‚‘’–—…•·¶ªº°²€£¢§©®™´½¼¾×áàâãäåçéèêëíîïñóôõöøúùûüßœæÁÀÂÃÄÅÇÉÈÊËÍÎÏÑÓÔÕÖØÚÙÛÜŒÆ]*$/u
/** Opening quotes within a word are an "é" or "ä" of DOS. */
const dosCharacters = /\p{L}[‚„]/u

/**
 * Decodes a caption file: UTF-8; UTF-16 by its byte order mark or its zero bytes; otherwise Windows-1252, as older tools write, if
 * it yields only characters of the site's languages.
 * @throws UnusableFile
 */
export function decodeCaptions(bytes: Buffer): string {
  const utf16Encoding = detectUtf16(bytes)
  if (utf16Encoding !== undefined) return decode(utf16Encoding, bytes) ?? refuse('notText')
  const text = decode('utf-8', bytes)
  if (text?.includes('\0')) refuse('notText')
  if (text !== undefined) return text
  const legacy = new TextDecoder('windows-1252').decode(bytes)
  return legacyCharacters.test(legacy) && !dosCharacters.test(legacy) ? legacy : refuse('notUtf8')
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

/** Detects UTF-16. Times and line ends are ASCII in every language, so every other byte of them is 0. */
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
