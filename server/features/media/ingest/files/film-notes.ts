import { htmlLanguage, type Language } from '#contract/languages.ts'
import { translate } from '#server/i18n/translate.ts'

/**
 * What of a file is left out though the rest is made, with the names of the values in its sentence (`noted` in server/i18n). Rows of the
 * database name them: one that is noted no more stays as long as they do.
 */
export const noteValues = {
  pictureTracks: ['tracks'],
  soundTracks: ['tracks'],
  captionPictures: ['tracks'],
  captionLanguages: ['tracks'],
  captionTracks: ['tracks'],
  captionTimes: ['language', 'line'],
} as const satisfies Record<string, readonly string[]>

/** `language` is one of ours; `tracks` are numbers within their kind, from 1 on: "1, 3". */
export type FilmNote =
  | { key: Exclude<keyof typeof noteValues, 'captionTimes'>; tracks: string }
  | { key: 'captionTimes'; language: Language; line: number }

/** A note in the words of a language, which follow the file's name. */
export function sayNote(note: FilmNote, language: Language): string {
  const { key, ...values } = note
  if (!('language' in values)) return translate(language, `noted.${key}`, values)
  const names = new Intl.DisplayNames([htmlLanguage[language]], { type: 'language' })
  const named = names.of(htmlLanguage[values.language]) ?? values.language
  return translate(language, `noted.${key}`, { ...values, language: named })
}

/** A note on these tracks; none without any. */
export function noteTracks(
  key: Exclude<FilmNote['key'], 'captionTimes'>,
  tracks: readonly number[],
): FilmNote[] {
  return tracks.length === 0 ? [] : [{ key, tracks: tracks.join(', ') }]
}
