import { bcp47Tags, type Language } from '#contract/languages.ts'
import { translate } from '#server/i18n/translate.ts'

/**
 * Parts of a file that can be omitted while the rest is converted, with the names of the values in its sentence (`noted` in
 * server/i18n). Rows refer to these keys, so an unused key stays as long as they do.
 */
export const noteValues = {
  pictureTracks: ['tracks'],
  soundTracks: ['tracks'],
  captionPictures: ['tracks'],
  captionLanguages: ['tracks'],
  captionTracks: ['tracks'],
  captionTimes: ['language', 'line'],
} as const satisfies Record<string, readonly string[]>

/** `language` is one of the site's; `tracks` are numbers within their kind, from 1: "1, 3". */
export type SourceNote =
  | { key: Exclude<keyof typeof noteValues, 'captionTimes'>; tracks: string }
  | { key: 'captionTimes'; language: Language; line: number }

/** Returns a note as a sentence in a language, which follows the file's name. */
export function formatNote(note: SourceNote, language: Language): string {
  const { key, ...values } = note
  if (!('language' in values)) return translate(language, `noted.${key}`, values)
  const names = new Intl.DisplayNames([bcp47Tags[language]], { type: 'language' })
  const languageName = names.of(bcp47Tags[values.language]) ?? values.language
  return translate(language, `noted.${key}`, { ...values, language: languageName })
}

/** Returns a note on these tracks; none if there are none. */
export function tracksNote(
  key: Exclude<SourceNote['key'], 'captionTimes'>,
  tracks: readonly number[],
): SourceNote[] {
  return tracks.length === 0 ? [] : [{ key, tracks: tracks.join(', ') }]
}
