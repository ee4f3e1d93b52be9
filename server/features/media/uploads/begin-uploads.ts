import type { Language, Texts } from '#contract/languages.ts'
import {
  captionEndings,
  uploadLimits,
  videoEndings,
  type StartedUpload,
  type PlannedFile,
} from '#contract/studio/uploads.ts'
import { videoLimits } from '#contract/studio/videos.ts'
import { edited, loadAdminVideo } from '#server/features/catalog/catalog.ts'
import { sayWhy, type Why } from '#server/features/media/ingest/files/unusable-file.ts'
import type { Tx } from '#server/tables.ts'
import { presentUpload } from './receive-upload.ts'
import * as queries from './upload-queries.ts'
import type { FileKey, NewUpload, UploadRow } from './upload-queries.ts'

/** Files with their old or new targets, a line each: "7 en 07.en.vtt"; and the titles of new episodes by number. */
export interface UploadTrace {
  files: string[]
  titles?: Record<string, Partial<Texts>>
}

/**
 * Announces files to upload; for those partly uploaded before, lists the existing parts. A refused file has its reason and does not
 * affect the others. Repeating the plan changes nothing.
 * @returns the result of each, in order; and for those that are new or have another target, the old and new target, null if there
 * is none
 * @throws Refusal notFound, textTooLong
 */
export async function beginUploads(
  tx: Tx,
  videoId: string,
  planned: readonly PlannedFile[],
  now: Date,
  reader: Language,
): Promise<{ list: StartedUpload[]; change: { before?: UploadTrace; after: UploadTrace } | null }> {
  // Serializes concurrent requests with the same plan.
  await loadAdminVideo(tx, videoId, { lock: true })
  const checked = checkPlan(planned)
  const files = [...new Map(checked.flatMap((each) => ('why' in each ? [] : [[keyOf(each), each]]))).values()]
  if (files.length === 0) return { list: checked.flatMap((each) => refused(each, reader)), change: null }
  const before = byKey(await queries.selectUploads(tx, { videoId, files }))
  await queries.putUploads(tx, videoId, files, now)
  const after = byKey(await queries.selectUploads(tx, { videoId, files }))
  const list = checked.flatMap((each): StartedUpload[] => {
    const row = after.get(keyOf(each))
    return row && !('why' in each) ? [presentUpload(row, reader)] : refused(each, reader)
  })
  return { list, change: changeOf(before, after) }
}

type Checked = NewUpload | (NewUpload & { why: Why })

/** Checks the plan. A file is identified by its key, so it cannot be uploaded for two targets. */
function checkPlan(planned: readonly PlannedFile[]): Checked[] {
  const places = new Map<string, NewUpload>()
  return planned.map((each) => {
    const file = newUploadOf(each)
    const first = places.get(keyOf(file)) ?? file
    const isElsewhere = placeOf(first) !== placeOf(file)
    const why: Why | undefined = isElsewhere ? { key: 'listedTwice', number: first.number } : whyNot(file)
    if (why) return { ...file, why }
    places.set(keyOf(file), file)
    return file
  })
}

function newUploadOf({ name, bytes, changed_at, number, language, titles }: PlannedFile): NewUpload {
  return {
    name: name.toWellFormed(),
    bytes,
    changed_at: new Date(changed_at),
    number,
    language: language ?? null,
    titles: titles && !language ? edited({}, titles, videoLimits.title, 'titles') : null,
  }
}

function whyNot({ name, bytes, language }: NewUpload): Why | undefined {
  if (bytes === 0) return { key: 'empty' }
  const ending = name.split('.').at(-1)?.toLowerCase() ?? ''
  const endings: readonly string[] = language ? captionEndings : videoEndings
  const isTaken = endings.includes(ending) && bytes <= uploadLimits[language ? 'captions' : 'video']
  return isTaken ? undefined : { key: 'notTaken' }
}

function refused(file: Checked, reader: Language): StartedUpload[] {
  if (!('why' in file)) return []
  const { name, bytes, number, language, why } = file
  const reason = sayWhy(why, reader)
  return [{ id: null, name, bytes, number, language, state: 'refused', reason, parts: [] }]
}

const keyOf = ({ name, bytes, changed_at }: FileKey | UploadRow) =>
  JSON.stringify([name, Number(bytes), changed_at])
const byKey = (rows: readonly UploadRow[]) => new Map(rows.map((row) => [keyOf(row), row]))
const placeOf = ({ number, language }: Pick<NewUpload, 'number' | 'language'>) =>
  language ? `${number} ${language}` : `${number}`
const saidOf = (row: UploadRow) => JSON.stringify([placeOf(row), row.titles])

function changeOf(before: ReadonlyMap<string, UploadRow>, after: ReadonlyMap<string, UploadRow>) {
  const pairs = [...after].map(([key, row]) => ({ row, was: before.get(key) }))
  // An upload that restarts gets a new row.
  const begun = pairs.filter(({ row, was }) => was?.id !== row.id)
  const moved = pairs.filter(({ row, was }) => was?.id === row.id && saidOf(was) !== saidOf(row))
  const now = [...begun, ...moved].map(({ row }) => row)
  if (now.length === 0) return null
  const former = moved.flatMap(({ was }) => was ?? [])
  return { ...(former.length > 0 ? { before: traceOf(former) } : {}), after: traceOf(now) }
}

/** Returns the audit trail's record of files: few bytes each, because a season has many. */
export function traceOf(rows: readonly UploadRow[]): UploadTrace {
  const ordered = rows.toSorted((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1))
  const named = ordered.filter(({ titles }) => titles && Object.keys(titles).length > 0)
  const titles = Object.fromEntries(named.map((row) => [row.number, row.titles ?? {}]))
  return {
    files: ordered.map((row) => `${placeOf(row)} ${row.name}`),
    ...(named.length > 0 ? { titles } : {}),
  }
}
