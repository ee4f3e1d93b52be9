import type { Language, Texts } from '#contract/languages.ts'
import { partBytes, type StartedUpload, type PlannedFile } from '#contract/studio/uploads.ts'
import { askBeforeClosing } from '#web/studio/ui/sheets/ask-before-closing.ts'
import { uploadBatches } from './upload-batches.ts'
import { announce, PartRefused, sendPart, type Hold, type Way } from './send-part.ts'
import { uploadName, type SourceFile } from './source-file.ts'

/** A file on its way, as the page shows it. */
export interface Sending {
  key: string
  videoId: string
  name: string
  number: number
  bytes: number
  sent: number
  /** `stopped` by the operator, until they resume it. */
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'stopped'
  /** Why nothing of it gets through just now. */
  hold: Hold | undefined
  /** Why it failed, in words. */
  message: string
}

export interface ToSend {
  file: SourceFile
  number: number
  language: Language | undefined
  /** The title of its episode, if it is a new one. */
  titles: Partial<Texts> | undefined
}

interface Job extends ToSend {
  videoId: string
  /** Undefined until the server has announced it. */
  upload?: Upload
}

interface Upload {
  id: string
  parts: readonly number[]
}

const atOnce = 2
/** How far back the speed is looked at. */
const windowMs = 20_000

/**
 * The files that this page sends, whatever screen of the studio is open. It keeps nothing itself: what has arrived the server knows,
 * so after a reload the same files go on where they were.
 */
let list: readonly Sending[] = []
const jobs = new Map<string, Job>()
const samples: { at: number; sent: number }[] = []
const listeners = new Set<() => void>()
let running = 0
let stopped = new AbortController()

export const sendings = () => list

export function onSendings(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const keyOf = ({ videoId, file }: Job) => `${videoId} ${file.path} ${file.bytes}`

/** Sends files to a video, all announced at once, then two at a time and in this order. One that is on its way already is not sent twice. */
export function send(videoId: string, files: readonly ToSend[]): void {
  const fresh = files
    .map(({ file, number, language, titles }): Job => ({ videoId, file, number, language, titles }))
    .filter((each) => !isUnderWay(keyOf(each)))
  for (const each of fresh) jobs.set(keyOf(each), each)
  const keys = new Set(fresh.map(keyOf))
  put([...list.filter(({ key }) => !keys.has(key)), ...fresh.map(begun)])
  void announceAll(videoId, fresh, stopped.signal)
}

const isOpen = ({ state }: Sending) => state === 'waiting' || state === 'sending'
const isUnderWay = (key: string) => list.some((each) => each.key === key && isOpen(each))

const begun = (job: Job): Sending => ({
  key: keyOf(job),
  videoId: job.videoId,
  name: uploadName(job.file),
  number: job.number,
  bytes: job.file.bytes,
  sent: 0,
  state: 'waiting',
  hold: undefined,
  message: '',
})

/** Retries failed uploads and resumes stopped ones. */
export function sendAgain(videoId: string): void {
  const rest = list.filter(
    ({ videoId: id, state }) => id === videoId && (state === 'failed' || state === 'stopped'),
  )
  send(
    videoId,
    rest.flatMap(({ key }) => jobs.get(key) ?? []),
  )
}

/** Stops sending; what has arrived stays with the server. */
export function stopSending(): void {
  stopped.abort()
  stopped = new AbortController()
  put(list.map((each) => (isOpen(each) ? { ...each, state: 'stopped', hold: undefined } : each)))
}

/** Forgets files that were stopped and are given up. */
export function forget(videoId: string, files: readonly Pick<Sending, 'name' | 'bytes'>[]): void {
  const isGone = (each: Sending) =>
    each.videoId === videoId && each.state === 'stopped' && files.some((file) => isSameFile(file, each))
  put(list.filter((each) => !isGone(each)))
}

/** Whether the page's upload and the server's are the same file. */
export const isSameFile = (
  one: Pick<Sending, 'name' | 'bytes'>,
  other: Pick<Sending, 'name' | 'bytes'>,
): boolean => one.name === other.name && one.bytes === other.bytes

/** The remaining seconds of all uploads at the recent speed; undefined until it is known. */
export function secondsLeft(): number | undefined {
  const pace = secondsPerByte()
  const open = list.filter(isOpen)
  const left = open.reduce((sum, { bytes, sent }) => sum + bytes - sent, 0)
  return pace && Math.ceil(left * pace)
}

/** The same of one file that is being sent: it shares the speed with those beside it. */
export function secondsLeftOf({ bytes, sent }: Sending): number | undefined {
  const pace = secondsPerByte()
  const beside = list.filter(({ state }) => state === 'sending').length
  return pace && Math.ceil((bytes - sent) * pace * beside)
}

function secondsPerByte(): number | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.at - first.at < 2000 || last.sent <= first.sent) return undefined
  return (last.at - first.at) / (last.sent - first.sent) / 1000
}

function put(next: readonly Sending[]): void {
  list = next
  askBeforeClosing(jobs, list.some(isOpen))
  for (const listener of listeners) listener()
}

function change(key: string, changes: Partial<Sending>): void {
  changeAll(new Set([key]), changes)
}

function changeAll(keys: ReadonlySet<string>, changes: Partial<Sending>): void {
  put(list.map((each) => (keys.has(each.key) ? { ...each, ...changes } : each)))
}

/** Tells the server of files, a whole season at once, and begins with what of them it has not got. */
async function announceAll(videoId: string, fresh: readonly Job[], signal: AbortSignal): Promise<void> {
  try {
    for (const plan of uploadBatches(fresh, plannedOf)) await announcePlan(videoId, plan, signal)
  } catch (error) {
    failUntold(fresh, error)
  }
}

async function announcePlan(videoId: string, plan: readonly Job[], signal: AbortSignal): Promise<void> {
  const keys = new Set(plan.map(keyOf))
  try {
    const files = plan.map(plannedOf)
    const uploads = await announce(videoId, files, { signal, onHold: (hold) => changeAll(keys, { hold }) })
    for (const [index, job] of plan.entries()) welcome(job, uploads[index])
  } catch (error) {
    if (signal.aborted) return
    failUntold(plan, error)
  }
  start()
}

/** No upload that the server does not know waits forever. */
function failUntold(some: readonly Job[], error: unknown): void {
  const keys = new Set(some.map(keyOf).filter((key) => !jobs.get(key)?.upload))
  const untold = list.filter(({ key, state }) => keys.has(key) && state === 'waiting').map(({ key }) => key)
  changeAll(new Set(untold), { state: 'failed', hold: undefined, message: messageOf(error) })
}

/** What the server said; a browser's own words of an error are not for operators. */
const messageOf = (error: unknown) => (error instanceof PartRefused ? error.message : '')

function plannedOf(job: Job): PlannedFile {
  const { file, number, language, titles } = job
  const known = { name: uploadName(file), bytes: file.bytes, changed_at: file.changedAt.toISOString() }
  return { ...known, number, ...(language ? { language } : {}), ...(titles ? { titles } : {}) }
}

/** The server's answer about a file: queued, refused, or already uploaded. */
function welcome(job: Job, upload: StartedUpload | undefined): void {
  const key = keyOf(job)
  if (!upload?.id || upload.state === 'refused')
    return change(key, { state: 'failed', message: upload?.reason ?? '' })
  if (upload.state !== 'arriving') return change(key, { state: 'done', sent: job.file.bytes })
  jobs.set(key, { ...job, upload: { id: upload.id, parts: upload.parts } })
  change(key, { sent: arrivedOf(job.file, upload.parts) })
}

const arrivedOf = ({ bytes }: SourceFile, parts: readonly number[]) =>
  parts.reduce((sum, part) => sum + Math.min(partBytes, bytes - part * partBytes), 0)

function start(): void {
  while (running < atOnce) {
    const next = list.find(({ key, state }) => state === 'waiting' && jobs.get(key)?.upload)
    const { file, upload } = (next && jobs.get(next.key)) ?? {}
    if (!next || !file || !upload) return
    running++
    change(next.key, { state: 'sending' })
    void sendOne(next.key, file, upload, stopped.signal).finally(() => {
      running--
      start()
    })
  }
}

async function sendOne(key: string, file: SourceFile, upload: Upload, signal: AbortSignal): Promise<void> {
  const onHold = (hold: Hold | undefined) => change(key, { hold })
  try {
    await sendParts(key, file, upload, { signal, onHold })
    change(key, { state: 'done', sent: file.bytes })
  } catch (error) {
    if (signal.aborted) return
    change(key, { state: 'failed', message: messageOf(error) })
  }
}

async function sendParts(key: string, file: SourceFile, { id, parts }: Upload, way: Way): Promise<void> {
  let arrived = arrivedOf(file, parts)
  for await (const { part, blob } of file.parts(new Set(parts))) {
    const show = (bytes: number) => {
      change(key, { sent: Math.min(file.bytes, arrived + bytes) })
    }
    let before = 0
    const onSent = (bytes: number) => {
      note(Math.max(0, bytes - before))
      before = bytes
      show(bytes)
    }
    await sendPart({ id, part }, blob, { ...way, onSent })
    arrived += blob.size
    show(0)
  }
}

/** Adds the bytes sent to the samples that the speed is computed from. */
function note(bytes: number): void {
  const now = performance.now()
  samples.push({ at: now, sent: (samples.at(-1)?.sent ?? 0) + bytes })
  while (samples.length > 2 && (samples[0]?.at ?? now) < now - windowMs) samples.shift()
}
