import type { Language } from '#contract/languages.ts'
import { languageFromFileTag } from './file-language.ts'
import { captionExtensions, coverFileNames, descriptionFileName, videoExtensions } from './uploads.ts'

/** The properties of a file, parsed from its name. */
export interface ParsedFileName {
  /** `system`: files that operating systems leave in folders; `other`: files that are ignored. */
  kind: 'film' | 'captions' | 'description' | 'cover' | 'system' | 'other'
  /** The episode number from 1; undefined if the name has none. */
  number: number | undefined
  /** The language of captions or of a cover; undefined if the name has none of the site's languages. */
  language: Language | undefined
}

const includes = (list: readonly string[], text: string) => list.includes(text)
const systemNames = ['thumbs.db', 'desktop.ini']

/**
 * Parses file names for the command line and for the studio: "01.mp4", "Episode 12.mov", "S01E07.1080p.mkv",
 * "01.en.vtt", "03.pt-BR.sdh.srt", "cover.de.jpg". Of the folders before the name, only those of captions count.
 */
export function parseFileName(path: string): ParsedFileName {
  // macOS stores "é" as two characters.
  const folders = path.normalize('NFC').split('/')
  const name = folders.pop() ?? ''
  const dot = name.lastIndexOf('.')
  const ending = name.slice(dot + 1).toLowerCase()
  const stem = name.slice(0, Math.max(0, dot))
  const withoutNumber = { number: undefined, language: undefined }
  if (name.startsWith('.') || includes(systemNames, name.toLowerCase()))
    return { kind: 'system', ...withoutNumber }
  if (includes(videoExtensions, ending))
    return { kind: 'film', number: episodeNumberIn(stem), language: undefined }
  if (includes(captionExtensions, ending)) {
    const { rest, language } = splitLanguage(stem)
    return {
      kind: 'captions',
      number: episodeOfCaptionsFolder(folders, rest) ?? episodeNumberIn(rest),
      language: language ?? languageFromFileTag(folders.at(-1) ?? ''),
    }
  }
  if (name === descriptionFileName) return { kind: 'description', ...withoutNumber }
  const { rest, language } = splitLanguage(stem)
  const isCover = (name: string) => includes(coverFileNames, `${name}.${ending}`.toLowerCase())
  if (isCover(rest) && language) return { kind: 'cover', number: undefined, language }
  return { kind: isCover(stem) ? 'cover' : 'other', ...withoutNumber }
}

/** The files that become covers, with their language; undefined means all languages. */
export interface ChosenCovers<File> {
  covers: { file: File; language: Language | undefined }[]
  /** Ignored covers, each with the cover that takes precedence. */
  ignored: { file: File; chosen: File }[]
}

/** Chooses the first cover of each language. Without a cover for all languages, the English one is used for all. */
export function chooseCovers<File>(
  files: readonly File[],
  nameOf: (file: File) => string,
): ChosenCovers<File> {
  const chosen = new Map<Language | undefined, File>()
  const ignored: ChosenCovers<File>['ignored'] = []
  for (const file of files) {
    const { kind, language } = parseFileName(nameOf(file))
    const before = chosen.get(language)
    if (kind !== 'cover') continue
    if (before) ignored.push({ file, chosen: before })
    else chosen.set(language, file)
  }
  const covers = [...chosen].map(([language, file]) => ({ file, language }))
  const isForAll = (language?: Language) =>
    language === undefined || (language === 'en' && !chosen.has(undefined))
  return {
    covers: covers.map(({ file, language }) => ({
      file,
      language: isForAll(language) ? undefined : language,
    })),
    ignored,
  }
}

/** The suffix that states the kind of captions, after the language: "03.en.sdh.vtt", "03 [English] (forced).srt". */
const captionKindSuffix = /[._ -][[(]?(?:sdh|cc|hi|forced|default|full|subtitles?|subs?|captions?)[)\]]?$/i

/** Patterns for a language with a region ("pt-BR", "es-419", "pt_BR"), or alone ("en", "spa", "Deutsch"). */
const languageSuffixPatterns = [
  /^(.*?)[._ -][[(]?([a-z]{2,3})-(?:[a-z]{2,4}|\d{3})[)\]]?$/i,
  /^(.*?)[._ -][[(]?([a-zA-Z]{2,3})_(?:[A-Z]{2}|\d{3})[)\]]?$/,
  /^(.*)[._ -][[(]?(\p{L}{2,})[)\]]?$/u,
]

function splitLanguage(stem: string): { rest: string; language: Language | undefined } {
  // A pattern can match without finding a language: "Le pas-en" first looks like the language "pas" with a region. The
  // last pattern then finds "en".
  for (const form of languageSuffixPatterns) {
    const [, rest = '', code = ''] = form.exec(stem) ?? []
    const language = languageFromFileTag(code)
    if (language) return { rest, language }
  }
  const plain = stem.replace(captionKindSuffix, '')
  return plain === stem ? { rest: stem, language: undefined } : splitLanguage(plain)
}

/** Numbers that describe the video, the audio, the date or the copy of a file. */
const technicalNumbers = new RegExp(
  [
    // Dates and times of day.
    String.raw`\b(?:19|20)\d\d([ .-])\d\d\1\d\d\b`,
    String.raw`\b\d{1,2}([ .-])\d{1,2}\2(?:19|20)\d\d\b`,
    String.raw`\b\d\d[.:-]\d\d[.:-]\d\d\b`,
    String.raw`\b(?:\d{3,4}[pi]\d{0,3}|[48]k|[hx]\.?26[45]|(?:19|20)\d\d|\d{3,4}x\d{3,4}|hdr10)\b`,
    String.raw`\b\d+(?:\.9\d{1,2})?[ -]?(?:fps|bits?|kbps|k?hz)\b`,
    String.raw`\b(?:[a-z]*\d\.\d|v\d)\b`,
    // Copies: "(1)", "(copy 2)"; and checksums: "[A1B2C3D4]".
    String.raw`\((?:\p{L}+ )?\d\)`,
    String.raw`\[[\da-f]{8}\]`,
  ].join('|'),
  'giu',
)
const episodeWords = 'episode|épisode|episodio|episódio|folge|kapitel|chapter|chapitre|cap[ií]tulo|cap|ep'
const episodeNumberPatterns = [
  /s\d{1,2}[ ._-]*e(\d{1,4})(?!\d)/i,
  new RegExp(String.raw`(?<!\p{L})(?:${episodeWords})[ ._#-]*(\d{1,4})(?!\d)`, 'iu'),
  // A single "e" followed by a space is "and" in Italian and Portuguese.
  /(?<!\p{L})e[._#-]?(\d{1,4})(?!\d)/iu,
  /(?<!\p{L})(?:teil|part|parte|partie)[ ._#-]*(\d{1,4})(?!\d)/iu,
  /\b\d{1,2}x(\d{2,3})\b/i,
  /(?<!\d)(\d{1,4}) ?(?:of|von|de|sur) ?\d{1,4}(?!\d)/i,
  /#(\d{1,4})(?!\d)/,
]

/** Returns the episode number that a name states in words, such as "S01E07", "Folge 7" or "7 of 12". */
const spokenNumberIn = (text: string) =>
  episodeNumberPatterns.map((pattern) => pattern.exec(text)?.[1]).find((number) => number !== undefined)

/**
 * Returns the episode of captions that have a folder for each episode: "Subs/Salt.S01E03/2_English.srt", where 2 is the
 * number of a track.
 */
function episodeOfCaptionsFolder(folders: readonly string[], stem: string): number | undefined {
  const isInside = /^(?:subs?|subtitles?|captions?)$/i.test(folders.at(-2) ?? '')
  const spoken =
    isInside && spokenNumberIn(stem) === undefined ? spokenNumberIn(folders.at(-1) ?? '') : undefined
  return Number(spoken ?? NaN) >= 1 ? Number(spoken) : undefined
}

const isPadded = (number = '') => /^0\d/.test(number)
/** Returns the only number with a leading zero: in "Salt 03 - The 2nd kiss", that is the episode. */
const onlyPadded = (numbers: readonly string[]) => {
  const padded = numbers.filter((number) => /^0\d$/.test(number))
  return padded.length === 1 ? padded[0] : undefined
}

/** Returns the episode number in a file name; it has at most four digits. */
function episodeNumberIn(stem: string): number | undefined {
  const text = stem.replaceAll('_', ' ')
  const spoken = spokenNumberIn(text)
  const plain =
    text.replaceAll(technicalNumbers, ' ').match(/(?<!\d)\d{1,4}(?!\d)/g) ??
    (/^\d{1,4}$/.test(text) ? [text] : [])
  // "12 The kiss" begins with its number; in other names, and in "365 Days 01", the number is last.
  const start = /^\d+/.exec(text.trim())?.[0]
  const isFirst = start !== undefined && (isPadded(start) || !isPadded(plain.at(-1)))
  const number = Number(spoken ?? onlyPadded(plain) ?? (isFirst ? plain[0] : plain.at(-1)) ?? NaN)
  return number >= 1 ? number : undefined
}
