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
 * "01.en.vtt", "03.pt-BR.sdh.srt", "cover.de.jpg". Folders before the name are ignored.
 */
export function parseFileName(path: string): ParsedFileName {
  const name = path.split('/').at(-1) ?? ''
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
    return { kind: 'captions', number: episodeNumberIn(rest), language }
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

/** Numbers that describe the video, the audio, the year or the copy of a file. */
const technicalNumbers =
  /\b(\d{3,4}[pi]|[48]k|[hx]\.?26[45]|(19|20)\d\d|\d+(fps|bit|kbps)|\d{3,4}x\d{3,4}|[a-z]*\d\.\d|v\d)\b|\(\d\)/gi
const episodeNumberPatterns = [
  /s\d{1,2}[ ._-]*e(\d{1,4})(?!\d)/i,
  /(?<![a-zà-ÿ])(?:episode|épisode|episodio|episódio|folge|kapitel|ep|e)[ ._#-]*(\d{1,4})(?!\d)/i,
  /(?<![a-zà-ÿ])(?:teil|part)[ ._#-]*(\d{1,4})(?!\d)/i,
  /\b\d{1,2}x(\d{2,3})\b/i,
]

const isPadded = (number = '') => /^0\d/.test(number)

/** Returns the episode number in a file name; it has at most four digits. */
function episodeNumberIn(stem: string): number | undefined {
  const text = stem.replaceAll('_', ' ')
  const spoken = episodeNumberPatterns
    .map((pattern) => pattern.exec(text)?.[1])
    .find((number) => number !== undefined)
  const plain =
    text.replaceAll(technicalNumbers, ' ').match(/(?<!\d)\d{1,4}(?!\d)/g) ??
    (/^\d{1,4}$/.test(text) ? [text] : [])
  // "12 The kiss" begins with its number; in other names, and in "365 Days 01", the number is last.
  const start = /^\d+/.exec(text.trim())?.[0]
  const isFirst = start !== undefined && (isPadded(start) || !isPadded(plain.at(-1)))
  const number = Number(spoken ?? (isFirst ? plain[0] : plain.at(-1)) ?? NaN)
  return number >= 1 ? number : undefined
}
