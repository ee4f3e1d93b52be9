import type { Language, LocalizedText } from '#contract/languages.ts'
import { partBytes, type StartedUpload, type AnnouncedFile } from '#contract/studio/uploads.ts'
import { confirmTabClose } from '#web/studio/ui/sheets/confirm-tab-close.ts'
import { splitIntoBatches } from './upload-batches.ts'
import { registerUploads, UploadRejected, sendPart, type PauseReason, type SendOptions } from './send-part.ts'
import { uploadName, type SourceFile } from './source-file.ts'

/** An upload, as the page shows it. */
export interface QueuedUpload {
  key: string
  videoId: string
  name: string
  number: number
  bytes: number
  sent: number
  /** `stopped` means that the operator has paused the upload. */
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'stopped'
  /** The reason why the upload is paused, if it is. */
  pauseReason: PauseReason | undefined
  /** The reason of a failure, as a message for the operator. */
  message: string
}

export interface FileToUpload {
  file: SourceFile
  number: number
  language: Language | undefined
  /** The titles, if the episode is new. */
  titles: Partial<LocalizedText> | undefined
}

interface Job extends FileToUpload {
  videoId: string
  /** Undefined until the server has registered the file. */
  upload?: Upload
}

interface Upload {
  id: string
  parts: readonly number[]
}

const maxConcurrentUploads = 2
/** The period in which the speed is measured. */
const sampleWindowMs = 20_000

/**
 * The uploads of this page. They continue while the operator uses other screens of the studio. They are not stored in
 * the browser, because the server knows the uploaded parts: after a reload, the same files continue where they stopped.
 */
let list: readonly QueuedUpload[] = []
const jobs = new Map<string, Job>()
const samples: { at: number; sent: number }[] = []
const listeners = new Set<() => void>()
let running = 0
/** The controllers that stop the uploads of each video. */
const stopControllers = new Map<string, AbortController>()

export const getQueuedUploads = () => list

export function subscribeToUploads(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const keyOf = ({ videoId, file }: Job) => `${videoId} ${file.path} ${file.bytes}`

/**
 * Queues files of a video. All files are registered first, and then sent in this order, two at a time. A file that is
 * already in progress is not queued again.
 */
export function enqueueUploads(videoId: string, files: readonly FileToUpload[]): void {
  const fresh = files
    .map(({ file, number, language, titles }): Job => ({ videoId, file, number, language, titles }))
    .filter((each) => !isUnderWay(keyOf(each)))
  for (const each of fresh) jobs.set(keyOf(each), each)
  const keys = new Set(fresh.map(keyOf))
  setQueue([...list.filter(({ key }) => !keys.has(key)), ...fresh.map(newQueueEntry)])
  void registerAll(videoId, fresh, stopSignal(videoId))
}

const isOpen = ({ state }: QueuedUpload) => state === 'waiting' || state === 'sending'
const isUnderWay = (key: string) => list.some((each) => each.key === key && isOpen(each))

const newQueueEntry = (job: Job): QueuedUpload => ({
  key: keyOf(job),
  videoId: job.videoId,
  name: uploadName(job.file),
  number: job.number,
  bytes: job.file.bytes,
  sent: 0,
  state: 'waiting',
  pauseReason: undefined,
  message: '',
})

/** Retries the failed uploads of a video and resumes its stopped ones. */
export function retryUploads(videoId: string): void {
  const rest = list.filter(
    ({ videoId: id, state }) => id === videoId && (state === 'failed' || state === 'stopped'),
  )
  enqueueUploads(
    videoId,
    rest.flatMap(({ key }) => jobs.get(key) ?? []),
  )
}

/** Stops the uploads of a video. The server keeps the parts that it has received. */
export function stopUploads(videoId: string): void {
  stopControllers.get(videoId)?.abort()
  stopControllers.delete(videoId)
  setQueue(
    list.map((each) =>
      each.videoId === videoId && isOpen(each) ? { ...each, state: 'stopped', pauseReason: undefined } : each,
    ),
  )
}

function stopSignal(videoId: string): AbortSignal {
  const controller = stopControllers.get(videoId) ?? new AbortController()
  stopControllers.set(videoId, controller)
  return controller.signal
}

/** Removes stopped files from the list. */
export function removeStopped(videoId: string, files: readonly Pick<QueuedUpload, 'name' | 'bytes'>[]): void {
  const isGone = (each: QueuedUpload) =>
    each.videoId === videoId && each.state === 'stopped' && files.some((file) => isSameFile(file, each))
  setQueue(list.filter((each) => !isGone(each)))
}

/** Returns whether two uploads are of the same file, such as one of this page and one of the server. */
export const isSameFile = (
  one: Pick<QueuedUpload, 'name' | 'bytes'>,
  other: Pick<QueuedUpload, 'name' | 'bytes'>,
): boolean => one.name === other.name && one.bytes === other.bytes

/** Returns the seconds until all uploads are complete, at the recent speed; undefined until the speed is known. */
export function secondsLeft(): number | undefined {
  const perByte = secondsPerByte()
  const open = list.filter(isOpen)
  const left = open.reduce((sum, { bytes, sent }) => sum + bytes - sent, 0)
  return perByte && Math.ceil(left * perByte)
}

/**
 * Returns the seconds until one file is complete. It shares the speed with the files that are sent at the same time.
 */
export function secondsLeftOf({ bytes, sent }: QueuedUpload): number | undefined {
  const pace = secondsPerByte()
  const activeCount = list.filter(({ state }) => state === 'sending').length
  return pace && Math.ceil((bytes - sent) * pace * activeCount)
}

function secondsPerByte(): number | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.at - first.at < 2000 || last.sent <= first.sent) return undefined
  return (last.at - first.at) / (last.sent - first.sent) / 1000
}

function setQueue(next: readonly QueuedUpload[]): void {
  list = next
  confirmTabClose(jobs, list.some(isOpen))
  for (const listener of listeners) listener()
}

function change(key: string, changes: Partial<QueuedUpload>): void {
  changeAll(new Set([key]), changes)
}

function changeAll(keys: ReadonlySet<string>, changes: Partial<QueuedUpload>): void {
  setQueue(list.map((each) => (keys.has(each.key) ? { ...each, ...changes } : each)))
}

/** Registers files at the server, up to a whole season at once. Then starts to send the missing parts. */
async function registerAll(videoId: string, fresh: readonly Job[], signal: AbortSignal): Promise<void> {
  try {
    for (const plan of splitIntoBatches(fresh, plannedOf)) await registerBatch(videoId, plan, signal)
  } catch (error) {
    failUnregistered(fresh, error)
  }
}

async function registerBatch(videoId: string, plan: readonly Job[], signal: AbortSignal): Promise<void> {
  const keys = new Set(plan.map(keyOf))
  try {
    const files = plan.map(plannedOf)
    const uploads = await registerUploads(videoId, files, {
      signal,
      onPause: (pauseReason) => changeAll(keys, { pauseReason }),
    })
    for (const [index, job] of plan.entries()) applyRegistration(job, uploads[index])
  } catch (error) {
    if (signal.aborted) return
    failUnregistered(plan, error)
  }
  start()
}

/** Marks files that could not be registered as failed, so that they do not wait forever. */
function failUnregistered(some: readonly Job[], error: unknown): void {
  const keys = new Set(some.map(keyOf).filter((key) => !jobs.get(key)?.upload))
  const unregisteredKeys = list
    .filter(({ key, state }) => keys.has(key) && state === 'waiting')
    .map(({ key }) => key)
  changeAll(new Set(unregisteredKeys), { state: 'failed', pauseReason: undefined, message: messageOf(error) })
}

/** Returns the server's message. Error messages of the browser are not shown to operators. */
const messageOf = (error: unknown) => (error instanceof UploadRejected ? error.message : '')

function plannedOf(job: Job): AnnouncedFile {
  const { file, number, language, titles } = job
  const known = {
    name: uploadName(file),
    bytes: file.bytes,
    last_modified_at: file.lastModifiedAt.toISOString(),
  }
  return { ...known, number, ...(language ? { language } : {}), ...(titles ? { titles } : {}) }
}

/** Applies the server's response for one file: it is queued, rejected, or already uploaded. */
function applyRegistration(job: Job, upload: StartedUpload | undefined): void {
  const key = keyOf(job)
  if (!upload?.id || upload.state === 'rejected')
    return change(key, { state: 'failed', message: upload?.reason ?? '' })
  if (upload.state !== 'uploading') return change(key, { state: 'done', sent: job.file.bytes })
  jobs.set(key, { ...job, upload: { id: upload.id, parts: upload.parts } })
  change(key, { sent: arrivedOf(job.file, upload.parts) })
}

const arrivedOf = ({ bytes }: SourceFile, parts: readonly number[]) =>
  parts.reduce((sum, part) => sum + Math.min(partBytes, bytes - part * partBytes), 0)

function start(): void {
  while (running < maxConcurrentUploads) {
    const next = list.find(({ key, state }) => state === 'waiting' && jobs.get(key)?.upload)
    const { file, upload } = (next && jobs.get(next.key)) ?? {}
    if (!next || !file || !upload) return
    running++
    change(next.key, { state: 'sending' })
    void sendOne(next.key, file, upload, stopSignal(next.videoId)).finally(() => {
      running--
      start()
    })
  }
}

async function sendOne(key: string, file: SourceFile, upload: Upload, signal: AbortSignal): Promise<void> {
  const onPause = (pauseReason: PauseReason | undefined) => change(key, { pauseReason })
  try {
    await sendParts(key, file, upload, { signal, onPause })
    change(key, { state: 'done', sent: file.bytes })
  } catch (error) {
    if (signal.aborted) return
    change(key, { state: 'failed', message: messageOf(error) })
  }
}

async function sendParts(
  key: string,
  file: SourceFile,
  { id, parts }: Upload,
  options: SendOptions,
): Promise<void> {
  let arrived = arrivedOf(file, parts)
  for await (const { part, blob } of file.parts(new Set(parts))) {
    const show = (bytes: number) => {
      change(key, { sent: Math.min(file.bytes, arrived + bytes) })
    }
    let before = 0
    const onSent = (bytes: number) => {
      recordSample(Math.max(0, bytes - before))
      before = bytes
      show(bytes)
    }
    await sendPart({ id, part }, blob, { ...options, onSent })
    arrived += blob.size
    show(0)
  }
}

/** Records sent bytes, from which the speed is computed. */
function recordSample(bytes: number): void {
  const now = performance.now()
  samples.push({ at: now, sent: (samples.at(-1)?.sent ?? 0) + bytes })
  while (samples.length > 2 && (samples[0]?.at ?? now) < now - sampleWindowMs) samples.shift()
}
