import { bcp47Tags, type Language } from '#contract/languages.ts'
import { translate } from '#server/i18n/translate.ts'

/**
 * The reasons for which a file can't be used, each with the placeholders of its text (`unusable.*` in server/i18n).
 * Stored rows contain these keys. Do not delete a key that the code does not create any more, because rows may still
 * have the key.
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
  colourChanges: [],
  dolbyVision: [],
  encrypted: [],
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

/** A file that can't be used. The error's message is the reason in English, without the file's name: "is empty". */
export class UnusableFile extends Error {
  override name = 'UnusableFile'
  readonly reason: UnusableReason

  constructor(reason: UnusableReason) {
    super(formatReason(reason, 'en'))
    this.reason = reason
  }
}

/** Formats a reason as the rest of a sentence that begins with the file's name: "01.mp4 is empty". */
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

/**
 * Returns the database columns of a reason: `reason` in English, as in the log, and `reason_details`, which can be
 * shown in any language.
 */
export function reasonColumns({ message, reason }: UnusableFile): { reason: string; reason_details: string } {
  return { reason: message, reason_details: JSON.stringify(reason) }
}

/**
 * Formats a stored failure reason in a language. Rows older than the column `reason_details` have only the text in
 * `reason`.
 */
export function localizeReason(
  language: Language,
  { reason, reason_details }: { reason: string | null; reason_details: UnusableReason | null },
): string | null {
  return reason_details === null ? reason : formatReason(reason_details, language)
}

/**
 * After this many failures, an unexpected error is considered to be caused by the file, and the file is not tried
 * again.
 */
export const maxFailures = 5

/** Converts an unexpected error to a reason for operators, with the number of failures so far. */
export function unexpectedFailure(error: unknown, attempts: number): UnusableFile {
  const said = truncateMessage(error instanceof Error ? error.message : String(error))
  return new UnusableFile({ key: 'gaveUp', attempts, said })
}

const maxQuotedLength = 200

/** Shortens a program's message, and removes the characters that the database rejects. */
export function truncateMessage(message: string): string {
  return message.slice(0, maxQuotedLength).toWellFormed().replaceAll('\0', '')
}
