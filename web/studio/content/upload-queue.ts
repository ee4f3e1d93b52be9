import type { Language } from '#contract/languages.ts'
import { partBytes } from '#contract/studio/uploads.ts'
import { announce, sendPart, type Hold, type Way } from './send-part.ts'
import type { SourceFile } from './source-file.ts'

/** A file on its way, as the page shows it. */
export interface Sending {
  key: string
  videoId: string
  name: string
  number: number
  bytes: number
  sent: number
  state: 'waiting' | 'sending' | 'done' | 'failed'
  /** Why nothing of it gets through just now. */
  hold: Hold | undefined
  /** Why it failed, in words. */
  message: string
}

export interface ToSend {
  videoId: string
  file: SourceFile
  number: number
  language: Language | undefined
}

const atOnce = 2
/** How far back the speed is looked at. */
const windowMs = 20_000

/**
 * The files that this page sends, whatever screen of the studio is open. It keeps nothing itself: what has arrived the server knows,
 * so after a reload the same files go on where they were.
 */
let list: readonly Sending[] = []
const jobs = new Map<string, ToSend>()
const samples: { at: number; sent: number }[] = []
const listeners = new Set<() => void>()
let running = 0
let stopped = new AbortController()

export const sendings = () => list

export function onSendings(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const keyOf = ({ videoId, file }: ToSend) => `${videoId} ${file.path} ${file.bytes}`

/** Sends files, two at once and in this order. One that is on its way already is not sent twice. */
export function send(files: readonly ToSend[]): void {
  const fresh = files.filter((each) => !isUnderWay(keyOf(each)))
  for (const each of fresh) jobs.set(keyOf(each), each)
  const keys = new Set(fresh.map(keyOf))
  put([...list.filter(({ key }) => !keys.has(key)), ...fresh.map(begun)])
  start()
}

const isUnderWay = (key: string) =>
  list.some((each) => each.key === key && (each.state === 'waiting' || each.state === 'sending'))

const begun = (job: ToSend): Sending => ({
  key: keyOf(job),
  videoId: job.videoId,
  name: job.file.path.split('/').at(-1) ?? '',
  number: job.number,
  bytes: job.file.bytes,
  sent: 0,
  state: 'waiting',
  hold: undefined,
  message: '',
})

/** Sends what failed once more. */
export function sendAgain(videoId: string): void {
  const failed = list.filter((each) => each.videoId === videoId && each.state === 'failed')
  send(failed.flatMap(({ key }) => jobs.get(key) ?? []))
}

/** Stops sending; what has arrived stays with the server. */
export function stopSending(): void {
  stopped.abort()
  stopped = new AbortController()
  put(list.filter(({ state }) => state === 'done'))
}

/** The seconds that are left at the speed of late; undefined until that can be told. */
export function secondsLeft(): number | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.at - first.at < 2000 || last.sent <= first.sent) return undefined
  const open = list.filter(({ state }) => state === 'waiting' || state === 'sending')
  const left = open.reduce((sum, { bytes, sent }) => sum + bytes - sent, 0)
  return Math.ceil((left * (last.at - first.at)) / (last.sent - first.sent) / 1000)
}

const askFirst = (event: Event) => event.preventDefault()

function put(next: readonly Sending[]): void {
  list = next
  const isBusy = list.some(({ state }) => state === 'waiting' || state === 'sending')
  // The browser asks before it closes a page that is sending.
  if (isBusy) addEventListener('beforeunload', askFirst)
  else removeEventListener('beforeunload', askFirst)
  for (const listener of listeners) listener()
}

function change(key: string, changes: Partial<Sending>): void {
  put(list.map((each) => (each.key === key ? { ...each, ...changes } : each)))
}

function start(): void {
  while (running < atOnce) {
    const next = list.find(({ state }) => state === 'waiting')
    const job = next && jobs.get(next.key)
    if (!next || !job) return
    running++
    change(next.key, { state: 'sending' })
    void sendOne(next.key, job, stopped.signal).finally(() => {
      running--
      start()
    })
  }
}

async function sendOne(key: string, { videoId, file, number, language }: ToSend, signal: AbortSignal) {
  const onHold = (hold: Hold | undefined) => change(key, { hold })
  try {
    const name = (file.path.split('/').at(-1) ?? '').slice(-255)
    const known = { name, bytes: file.bytes, changed_at: file.changedAt.toISOString() }
    const place = { video_id: videoId, number, ...(language ? { language } : {}) }
    const upload = await announce({ ...known, ...place }, { signal, onHold })
    if (upload.state === 'arriving') await sendParts(key, file, upload, { signal, onHold })
    change(key, { state: 'done', sent: file.bytes })
  } catch (error) {
    if (signal.aborted) return
    change(key, { state: 'failed', message: error instanceof Error ? error.message : '' })
  }
}

async function sendParts(
  key: string,
  file: SourceFile,
  { id, parts }: { id: string; parts: number[] },
  way: Way,
): Promise<void> {
  let arrived = parts.reduce((sum, part) => sum + Math.min(partBytes, file.bytes - part * partBytes), 0)
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

/** Adds what has been sent to the samples that the speed is told by. */
function note(bytes: number): void {
  const now = performance.now()
  samples.push({ at: now, sent: (samples.at(-1)?.sent ?? 0) + bytes })
  while (samples.length > 2 && (samples[0]?.at ?? now) < now - windowMs) samples.shift()
}
