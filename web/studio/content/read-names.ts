import type { Language } from '#contract/languages.ts'
import { languageOfFile } from '#contract/studio/file-language.ts'
import { captionEndings, coverNames, descriptionName, videoEndings } from '#contract/studio/uploads.ts'

/** What a file's name says of it. */
export interface NamedFile {
  kind: 'film' | 'captions' | 'description' | 'cover' | 'other'
  /** Of an episode, from 1; undefined where the name holds none. */
  number: number | undefined
  /** Of captions; undefined where the name holds none that the site has. */
  language: Language | undefined
}

const includes = (list: readonly string[], text: string) => list.includes(text)

/** Reads "01.mp4", "Episode 12.mov", "S01E07.1080p.mkv", "01.en.vtt". Folders before the name say nothing. */
export function readName(path: string): NamedFile {
  const name = path.split('/').at(-1) ?? ''
  const dot = name.lastIndexOf('.')
  const ending = name.slice(dot + 1).toLowerCase()
  const stem = name.slice(0, Math.max(0, dot))
  // What systems leave beside files: .DS_Store, ._01.mp4.
  if (name.startsWith('.')) return { kind: 'other', number: undefined, language: undefined }
  if (includes(videoEndings, ending)) return { kind: 'film', number: numberIn(stem), language: undefined }
  if (includes(captionEndings, ending)) {
    const { rest, language } = splitLanguage(stem)
    return { kind: 'captions', number: numberIn(rest), language }
  }
  const kind =
    name === descriptionName ? 'description' : includes(coverNames, name.toLowerCase()) ? 'cover' : 'other'
  return { kind, number: undefined, language: undefined }
}

/** A language with a region ("pt-BR"), or alone. "Le pas-en" ends with a language, though it looks like one with a region. */
const languageForms = [/^(.*?)[._ -]([a-z]{2,3})-[a-z]{2,4}$/i, /^(.*)[._ -]([a-z]{2,3})$/i]

function splitLanguage(stem: string): { rest: string; language: Language | undefined } {
  for (const form of languageForms) {
    const [, rest = '', code = ''] = form.exec(stem) ?? []
    const language = languageOfFile(code)
    if (language) return { rest, language }
  }
  return { rest: stem, language: undefined }
}

/** Numbers that are about the picture or the year, not the episode. One of more than four digits is none of an episode either. */
const noise = /\b(\d{3,4}[pi]|[48]k|[hx]\.?26[45]|(19|20)\d\d|\d+(fps|bit|kbps)|\d{3,4}x\d{3,4})\b/gi
const named = [
  /s\d{1,2}[ ._-]*e(\d{1,4})(?!\d)/i,
  /(?<![a-zà-ÿ])(?:episode|épisode|episodio|episódio|folge|teil|part|ep|e)[ ._#-]*(\d{1,4})(?!\d)/i,
  /\b\d{1,2}x(\d{2,3})\b/i,
]

function numberIn(stem: string): number | undefined {
  const text = stem.replaceAll('_', ' ')
  const spoken = named.map((pattern) => pattern.exec(text)?.[1]).find((number) => number !== undefined)
  const plain =
    text.replaceAll(noise, ' ').match(/(?<!\d)\d{1,4}(?!\d)/g) ?? (/^\d{1,4}$/.test(text) ? [text] : [])
  // "12 The kiss" begins with its number; elsewhere it stands last.
  const first = /^\d/.test(text.trim()) ? plain[0] : plain.at(-1)
  const number = Number(spoken ?? first ?? NaN)
  return number >= 1 ? number : undefined
}

/** A file with its place: an episode's film or its captions in a language. */
export interface Placed<File> {
  file: File
  kind: 'film' | 'captions'
  number: number | undefined
  language: Language | undefined
}

/** What is wrong with a file's place, so that nothing can begin. */
export type Trouble = 'noNumber' | 'noLanguage' | 'double' | 'noEpisode'

/** What files of a season come to, before anything begins. */
export interface Season<File> {
  files: (Placed<File> & { trouble: Trouble | undefined; replaces: boolean })[]
  /** Numbers between the first and the last episode that neither a file nor the video has. */
  gaps: number[]
}

/** Puts files in order, and says which numbers are missing, doubled or without an episode. */
export function arrange<File>(placed: readonly Placed<File>[], there: ReadonlySet<number>): Season<File> {
  const films = placed.filter(({ kind }) => kind === 'film')
  const numbers = new Set([...there, ...films.map(({ number }) => number ?? 0)])
  const keyOf = ({ kind, number, language }: Placed<File>) => `${kind} ${number} ${language}`
  const count = new Map<string, number>()
  for (const each of placed) count.set(keyOf(each), (count.get(keyOf(each)) ?? 0) + 1)
  const troubleOf = (each: Placed<File>): Trouble | undefined => {
    if (each.number === undefined) return 'noNumber'
    if (each.kind === 'captions' && !each.language) return 'noLanguage'
    if ((count.get(keyOf(each)) ?? 0) > 1) return 'double'
    return numbers.has(each.number) ? undefined : 'noEpisode'
  }
  const last = Math.max(0, ...numbers)
  return {
    files: placed
      .map((each) => ({
        ...each,
        trouble: troubleOf(each),
        replaces: each.kind === 'film' && there.has(each.number ?? 0),
      }))
      .toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0) || (a.kind < b.kind ? 1 : -1)),
    gaps: Array.from({ length: last }, (_, index) => index + 1).filter((number) => !numbers.has(number)),
  }
}

/** Numbers as a person writes them: "1–3, 5". */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = []
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.to === number - 1) last.to = number
    else ranges.push({ from: number, to: number })
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(', ')
}
