import { bcp47Tags, type Language } from '#contract/languages.ts'
import { translate } from '#server/i18n/translate.ts'

/**
 * Every reason for which a file can't be used, with the names of the values in its sentence (`unusable` in server/i18n). Rows refer
 * to these keys, so an unused key stays as long as they do.
 */
export const reasons = {
  empty: [],
  incomplete: [],
  damaged: [],
  noIndex: [],
  cutOff: ['made', 'declared'],
  playlist: [],
  textFile: [],
  notVideo: [],
  noPicture: [],
  unknownPicture: [],
  undecodable: [],
  unreadableSound: [],
  codecChanges: [],
  joined: [],
  tooWide: ['width', 'height', 'max'],
  noLength: [],
  tooLong: ['hours', 'max'],
  highRange: [],
  colourMatrix: ['matrix'],
  dolbyVision: [],
  tooSlow: [],
  growsTooLarge: ['gigabytes'],
  tooMuchMemory: [],
  converterCrashes: [],
  converterStops: [],
  converterSays: ['said'],
  gaveUp: ['attempts', 'said'],
  noEpisode: ['number'],
  notText: [],
  notUtf8: [],
  notCaptions: [],
  noCaptions: [],
  noTimes: ['line'],
  timesReversed: ['line'],
  unreadablePicture: [],
  pictureTooLarge: [],
  otherPicture: [],
  notTaken: [],
  listedTwice: ['number'],
} as const satisfies Record<string, readonly string[]>

type ReasonKey = keyof typeof reasons

/** A reason with its values, which can be shown in any language. */
export type UnusableReason = {
  [K in ReasonKey]: { key: K } & Record<(typeof reasons)[K][number], string | number>
}[ReasonKey]

/** A file that can't be used. The message is the reason in English, without the file's name: "is empty". */
export class UnusableFile extends Error {
  override name = 'UnusableFile'
  readonly reason: UnusableReason

  constructor(reason: UnusableReason) {
    super(formatReason(reason, 'en'))
    this.reason = reason
  }
}

/** Returns a reason as a sentence in a language, which follows the file's name. */
export function formatReason({ key, ...values }: UnusableReason, language: Language): string {
  const figures = new Intl.NumberFormat(bcp47Tags[language], {
    maximumFractionDigits: 1,
    useGrouping: false,
  })
  const formatted = Object.entries<string | number>(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? figures.format(value) : value,
  ])
  return translate(language, `unusable.${key}`, Object.fromEntries(formatted))
}

/** Returns the columns of a reason: `reason` as in the log, `reason_details` for other languages. */
export function reasonColumns({ message, reason }: UnusableFile): { reason: string; reason_details: string } {
  return { reason: message, reason_details: JSON.stringify(reason) }
}

/** Returns the reason of a row's failure in a language. Rows from before there were keys show their text. */
export function localizeReason(
  language: Language,
  { reason, reason_details }: { reason: string | null; reason_details: UnusableReason | null },
): string | null {
  return reason_details === null ? reason : formatReason(reason_details, language)
}

const maxQuotedLength = 200

/** Converts a program's message to a value that the database accepts. */
export function truncateMessage(message: string): string {
  return message.slice(0, maxQuotedLength).toWellFormed().replaceAll('\0', '')
}
