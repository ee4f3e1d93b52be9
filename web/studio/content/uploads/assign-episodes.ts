import type { Language } from '#contract/languages.ts'

/** A file with the episode to which it is assigned, as its video or as its captions in one language. */
export interface AssignedFile<File> {
  file: File
  kind: 'film' | 'captions'
  number: number | undefined
  language: Language | undefined
}

/** A problem with the assignment of a file, which prevents the upload. */
export type FileProblem = 'noNumber' | 'noLanguage' | 'duplicate' | 'noEpisode'

/** The plan of a season's upload. */
export interface Season<File> {
  files: (AssignedFile<File> & { problem: FileProblem | undefined; replaces: boolean })[]
  /** The missing episode numbers: those below the highest number that have neither a video nor an existing episode. */
  gaps: number[]
}

/** Sorts files and finds missing numbers, duplicate numbers, and captions without an episode. */
export function assignEpisodes<File>(
  placed: readonly AssignedFile<File>[],
  existingNumbers: ReadonlySet<number>,
): Season<File> {
  const films = placed.filter(({ kind }) => kind === 'film')
  const numbers = new Set([...existingNumbers, ...films.map(({ number }) => number ?? 0)])
  const keyOf = ({ kind, number, language }: AssignedFile<File>) => `${kind} ${number} ${language}`
  const count = new Map<string, number>()
  for (const each of placed) count.set(keyOf(each), (count.get(keyOf(each)) ?? 0) + 1)
  const problemOf = (each: AssignedFile<File>): FileProblem | undefined => {
    if (each.number === undefined) return 'noNumber'
    if (each.kind === 'captions' && !each.language) return 'noLanguage'
    if ((count.get(keyOf(each)) ?? 0) > 1) return 'duplicate'
    return numbers.has(each.number) ? undefined : 'noEpisode'
  }
  const last = Math.max(0, ...numbers)
  return {
    files: placed
      .map((each) => ({
        ...each,
        problem: problemOf(each),
        replaces: each.kind === 'film' && existingNumbers.has(each.number ?? 0),
      }))
      .toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0) || (a.kind < b.kind ? 1 : -1)),
    gaps: Array.from({ length: last }, (_, index) => index + 1).filter((number) => !numbers.has(number)),
  }
}

/** Formats numbers as ranges: "1–3, 5". */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = []
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.to === number - 1) last.to = number
    else ranges.push({ from: number, to: number })
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(', ')
}
