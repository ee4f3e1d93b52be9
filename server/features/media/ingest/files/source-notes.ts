import { bcp47Tags, type Language } from '#contract/languages.ts'
import { translate } from '#server/i18n/translate.ts'

/**
 * The kinds of notes about parts of a file that were not converted, each with the placeholders of its text (`noted.*`
 * in server/i18n). Stored assets contain these keys. Do not delete a key that the code does not create any more,
 * because rows may still have the key.
 */
export const noteValues = {
  pictureTracks: ['tracks'],
  soundTracks: ['tracks'],
  otherSoundTracks: ['tracks'],
  captionPictures: ['tracks'],
  captionLanguages: ['tracks'],
  captionTracks: ['tracks'],
  captionTimes: ['language', 'line'],
} as const satisfies Record<string, readonly string[]>

/**
 * `language` is a language of the site. `tracks` lists track numbers ("1, 3"). They are counted from 1, separately for
 * video, audio and captions.
 */
export type SourceNote =
  | { key: Exclude<keyof typeof noteValues, 'captionTimes'>; tracks: string }
  | { key: 'captionTimes'; language: Language; line: number }

/** Formats a note as the rest of a sentence that begins with the file's name: "01.mp4 has …". */
export function formatNote(note: SourceNote, language: Language): string {
  const { key, ...values } = note
  if (!('language' in values)) return translate(language, `noted.${key}`, values)
  const names = new Intl.DisplayNames([bcp47Tags[language]], { type: 'language' })
  const languageName = names.of(bcp47Tags[values.language]) ?? values.language
  return translate(language, `noted.${key}`, { ...values, language: languageName })
}

/** Returns one note on these tracks, or an empty array if `tracks` is empty. */
export function tracksNote(
  key: Exclude<SourceNote['key'], 'captionTimes'>,
  tracks: readonly number[],
): SourceNote[] {
  return tracks.length === 0 ? [] : [{ key, tracks: tracks.join(', ') }]
}
