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
 * "01.en.vtt", "03.pt-BR.sdh.srt", "cover.de.jpg". For captions, it also reads the names of the folders.
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

/** Chooses the first cover of each language. Without a cover for all languages, the English cover is used for all. */
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
    String.raw`\b\d\d([.-])\d\d\2(?:19|20)\d\d\b`,
    String.raw`\b\d\d[.:-]\d\d[.:-]\d\d\b`,
    String.raw`\b(?:\d{3,4}[pi]\d{0,3}|[48]k|[hx]\.?26[45]|(?:19|20)\d\d|\d{3,4}x\d{3,4}|hdr10)\b`,
    String.raw`\b\d+(?:\.9\d{1,2})?[ -]?(?:fps|bits?|kbps|k?hz)\b`,
    String.raw`\b(?:[a-z]*\d\.\d|v\d)\b`,
    // Copies: "(1)", "(copy 2)"; and checksums: "[A1B2C3D4]".
    String.raw`\((?:(?:copy|copie|copia|cópia|kopie) )?\d\)`,
    String.raw`\[[\da-f]{8}\]`,
  ].join('|'),
  'giu',
)
/** Matches the number of a season, such as "S01" or "Staffel 2". */
const seasonNumber = /(?<!\p{L})(?:s|(?:season|staffel|saison|temporada|vol|volume)[ ._-]*)\d{1,2}(?!\d)/giu
const episodeNumberPatterns = [
  /s\d{1,2}[ ._-]*e(\d{1,4})(?!\d)/i,
  /(?<!\p{L})(?:episode|épisode|episodio|episódio|folge|ep)[ ._#-]*(\d{1,4})(?!\d)/iu,
  // A single "e" followed by a space is "and" in Italian and Portuguese.
  /(?<!\p{L})e[._#-]?(\d{1,4})(?!\d)/iu,
  /(?<!\p{L})(?:kapitel|chapter|chapitre|cap[ií]tulo|cap)[ ._#-]*(\d{1,4})(?!\d)/iu,
  /(?<!\p{L})(?:teil|part|parte|partie)[ ._#-]*(\d{1,4})(?!\d)/iu,
  /\b\d{1,2}x(\d{2,3})\b/i,
]

/** Returns the episode number that a name states in words, such as "S01E07", "Folge 7" or "7 of 12". */
function spokenNumberIn(text: string): string | undefined {
  const [number] = episodeNumberPatterns.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])
  if (number !== undefined) return number
  const [, part = '', total] = /(?<!\d)(\d{1,3}) ?(?:of|von|de|sur) ?(\d{1,3})(?!\d)/i.exec(text) ?? []
  return Number(part) <= Number(total) ? part : undefined
}

/**
 * Returns the episode number in the name of a captions folder, if each episode has its own folder. In
 * "Subs/Salt.S01E03/2_English.srt", 2 is the number of a track.
 */
function episodeOfCaptionsFolder(folders: readonly string[], stem: string): number | undefined {
  const isInside = /^(?:subs?|subtitles?|captions?)$/i.test(folders.at(-2) ?? '')
  if (!isInside || spokenNumberIn(stem) !== undefined) return undefined
  const number = Number(spokenNumberIn(folders.at(-1) ?? ''))
  return number >= 1 ? number : undefined
}

const isPadded = (number = '') => /^0\d/.test(number)

/** Returns all numbers in a name that may be the episode number. `text` contains no technical numbers. */
function numbersIn(text: string): string[] {
  const numbers = (part: string) => part.match(/(?<!\d)\d{1,4}(?!\d)/g) ?? []
  const withoutSeason = numbers(text.replaceAll(seasonNumber, ' '))
  return withoutSeason.length > 0 ? withoutSeason : numbers(text)
}

/** Returns the only number with a leading zero, or the number after "#". */
function markedNumber(text: string, numbers: readonly string[]): string | undefined {
  const [padded, ...others] = numbers.filter((number) => /^0\d$/.test(number))
  return others.length === 0 ? (padded ?? /#(\d{1,4})(?!\d)/.exec(text)?.[1]) : undefined
}

/** Returns the episode number in a file name; it has at most four digits. */
function episodeNumberIn(stem: string): number | undefined {
  const text = stem.replaceAll('_', ' ')
  const plain = text.replaceAll(technicalNumbers, ' ')
  const [onlyNumber] = /^\d{1,4}$/.exec(text) ?? []
  const numbers = onlyNumber === undefined ? numbersIn(plain) : [onlyNumber]
  // "12 The kiss" begins with its number; in other names, and in "365 Days 01", the number is last.
  const start = /^\d+/.exec(text.trim())?.[0]
  const isFirst = start !== undefined && (isPadded(start) || !isPadded(numbers.at(-1)))
  // In "Salt 03 - The 2nd kiss" and "Salt #3 - 10 days", text follows the last number. The episode number is then more
  // likely a number with a leading zero or "#".
  const marked = /\d\D*\p{L}\D*$/u.test(plain) ? markedNumber(text, numbers) : undefined
  const likely = marked ?? (isFirst ? numbers[0] : numbers.at(-1))
  const number = Number(spokenNumberIn(text) ?? likely ?? NaN)
  return number >= 1 ? number : undefined
}
