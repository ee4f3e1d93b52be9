import type { Language, LocalizedText } from '#contract/languages.ts'
import {
  captionExtensions,
  uploadLimits,
  videoExtensions,
  type StartedUpload,
  type AnnouncedFile,
} from '#contract/studio/uploads.ts'
import { videoLimits } from '#contract/studio/videos.ts'
import { applyTextChanges, loadAdminVideo } from '#server/features/catalog/catalog.ts'
import { formatReason, type UnusableReason } from '#server/features/media/ingest/files/unusable-file.ts'
import type { Tx } from '#server/tables.ts'
import { presentUpload } from './receive-upload.ts'
import * as queries from './upload-queries.ts'
import type { FileKey, NewUpload, UploadRow } from './upload-queries.ts'

/**
 * The audit-log record of registered files. `files` has one line per file, with its episode, language (of captions) and
 * name: "7 en 07.en.vtt". `titles` has the titles by episode number.
 */
export interface UploadAuditRecord {
  files: string[]
  titles?: Record<string, Partial<LocalizedText>>
}

/**
 * Registers files to upload. For partly uploaded files, lists the existing parts. An unacceptable file is rejected with
 * a reason, and the other files are registered. Repeating the request changes nothing.
 * @returns the result of each file, in order; and the audit-log record of the files that are new or whose target or
 * titles have changed (null if there are none)
 * @throws Refusal notFound, textTooLong
 */
export async function startUploads(
  tx: Tx,
  videoId: string,
  planned: readonly AnnouncedFile[],
  now: Date,
  operatorLanguage: Language,
): Promise<{
  list: StartedUpload[]
  change: { before?: UploadAuditRecord; after: UploadAuditRecord } | null
}> {
  // The lock makes concurrent requests for the same video wait for each other.
  await loadAdminVideo(tx, videoId, { lock: true })
  const checked = checkPlan(planned)
  const files = [
    ...new Map(checked.flatMap((each) => ('refusal' in each ? [] : [[fileKeyOf(each), each]]))).values(),
  ]
  if (files.length === 0)
    return { list: checked.flatMap((each) => presentRefused(each, operatorLanguage)), change: null }
  const before = byKey(await queries.selectUploads(tx, { videoId, files }))
  await queries.upsertUploads(tx, videoId, files, now)
  const after = byKey(await queries.selectUploads(tx, { videoId, files }))
  const list = checked.flatMap((each): StartedUpload[] => {
    const row = after.get(fileKeyOf(each))
    return row && !('refusal' in each)
      ? [presentUpload(row, operatorLanguage)]
      : presentRefused(each, operatorLanguage)
  })
  return { list, change: diffUploads(before, after) }
}

type CheckedFile = NewUpload | (NewUpload & { refusal: UnusableReason })

/**
 * Checks the planned files. A file can have only one target. If it is listed again with another target, the second
 * entry is rejected.
 */
function checkPlan(planned: readonly AnnouncedFile[]): CheckedFile[] {
  const firstByKey = new Map<string, NewUpload>()
  return planned.map((each) => {
    const file = toNewUpload(each)
    const first = firstByKey.get(fileKeyOf(file)) ?? file
    const hasOtherTarget = targetOf(first) !== targetOf(file)
    const refusal: UnusableReason | undefined = hasOtherTarget
      ? { key: 'listedTwice', number: first.number }
      : refusalReason(file)
    if (refusal) return { ...file, refusal }
    firstByKey.set(fileKeyOf(file), file)
    return file
  })
}

function toNewUpload({ name, bytes, last_modified_at, number, language, titles }: AnnouncedFile): NewUpload {
  return {
    name: name.toWellFormed(),
    bytes,
    last_modified_at: new Date(last_modified_at),
    number,
    language: language ?? null,
    titles: titles && !language ? applyTextChanges({}, titles, videoLimits.title, 'titles') : null,
  }
}

function refusalReason({ name, bytes, language }: NewUpload): UnusableReason | undefined {
  if (bytes === 0) return { key: 'empty' }
  const ending = name.split('.').at(-1)?.toLowerCase() ?? ''
  const endings: readonly string[] = language ? captionExtensions : videoExtensions
  const isAccepted = endings.includes(ending) && bytes <= uploadLimits[language ? 'captions' : 'video']
  return isAccepted ? undefined : { key: 'notTaken' }
}

function presentRefused(file: CheckedFile, operatorLanguage: Language): StartedUpload[] {
  if (!('refusal' in file)) return []
  const { name, bytes, number, language, refusal } = file
  const reason = formatReason(refusal, operatorLanguage)
  return [{ id: null, name, bytes, number, language, state: 'rejected', reason, parts: [] }]
}

const fileKeyOf = ({ name, bytes, last_modified_at }: FileKey | UploadRow) =>
  JSON.stringify([name, Number(bytes), last_modified_at])
const byKey = (rows: readonly UploadRow[]) => new Map(rows.map((row) => [fileKeyOf(row), row]))
const targetOf = ({ number, language }: Pick<NewUpload, 'number' | 'language'>) =>
  language ? `${number} ${language}` : `${number}`
const targetAndTitlesOf = (row: UploadRow) => JSON.stringify([targetOf(row), row.titles])

function diffUploads(before: ReadonlyMap<string, UploadRow>, after: ReadonlyMap<string, UploadRow>) {
  const pairs = [...after].map(([key, row]) => ({ row, was: before.get(key) }))
  // An upload that starts again gets a new row.
  const started = pairs.filter(({ row, was }) => was?.id !== row.id)
  const retargeted = pairs.filter(
    ({ row, was }) => was?.id === row.id && targetAndTitlesOf(was) !== targetAndTitlesOf(row),
  )
  const current = [...started, ...retargeted].map(({ row }) => row)
  if (current.length === 0) return null
  const previous = retargeted.flatMap(({ was }) => was ?? [])
  return {
    ...(previous.length > 0 ? { before: auditRecordOf(previous) } : {}),
    after: auditRecordOf(current),
  }
}

/** Returns the audit-log record of files. The record has little data per file, because a season has many files. */
export function auditRecordOf(rows: readonly UploadRow[]): UploadAuditRecord {
  const ordered = rows.toSorted((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1))
  const titled = ordered.filter(({ titles }) => titles && Object.keys(titles).length > 0)
  const titles = Object.fromEntries(titled.map((row) => [row.number, row.titles ?? {}]))
  return {
    files: ordered.map((row) => `${targetOf(row)} ${row.name}`),
    ...(titled.length > 0 ? { titles } : {}),
  }
}
