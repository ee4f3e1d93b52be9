import { beginUploads, partPath, type StartedUpload, type PlannedFile } from '#contract/studio/uploads.ts'
import { acceptLanguage, currentLanguage } from '#web/lib/language.ts'

/** The server has answered, and will not take it however often it is sent. */
export class PartRefused extends Error {
  override name = 'PartRefused'
}

interface Answer<Result> {
  code: number
  message?: string
  info?: Result
  data?: Result
}

/** Why nothing gets through for now: the network is lost, the site takes no more for a while, or does not answer. */
export type Hold = 'network' | 'limit' | 'site'

export interface Way {
  signal: AbortSignal
  /** Told how much has been sent; it starts again where the network was lost. */
  onSent?: (bytes: number) => void
  /** Told that nothing gets through, and by nothing that something does again. */
  onHold: (hold: Hold | undefined) => void
}

const longestWaitMs = 30_000

/** What holds a request up, by its HTTP status, until the same may be sent again; undefined if that is no use. */
function holdOf(status: number): Hold | undefined {
  if (status === 0 || status === 408) return 'network'
  if (status === 429) return 'limit'
  return status >= 500 ? 'site' : undefined
}

/**
 * Says which files are to come to a video, as soon as the network lets it.
 * @returns what becomes of each, in their order
 * @throws PartRefused in words; the signal's reason when aborted
 */
export async function announce(
  videoId: string,
  files: readonly PlannedFile[],
  way: Way,
): Promise<StartedUpload[]> {
  const body = JSON.stringify({ video_id: videoId, files })
  const data = await sendUntilAnswered<{ list: StartedUpload[] }>(beginUploads.path, body, way)
  if (!data) throw new PartRefused('')
  return data.list
}

/**
 * Sends one part until it has arrived.
 * @returns whether the file is whole
 * @throws PartRefused in words; the signal's reason when aborted
 */
export async function sendPart(to: { id: string; part: number }, blob: Blob, way: Way): Promise<boolean> {
  const path = partPath.replace(':id', to.id).replace(':part', String(to.part))
  const info = await sendUntilAnswered<{ complete: boolean }>(path, blob, way)
  return info?.complete === true
}

/** Sends the same again until the server has answered: a network that is lost is waited for. */
async function sendUntilAnswered<Result>(
  path: string,
  body: Blob | string,
  way: Way,
): Promise<Result | undefined> {
  let isLost = false
  // Of a large part it takes a while until the answer says that the network is back.
  const onSentAgain = (bytes: number) => {
    if (bytes > 0) way.onHold(undefined)
    way.onSent?.(bytes)
  }
  for (let waitMs = 1000; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    way.signal.throwIfAborted()
    const { status, answer } = await post<Result>(path, body, isLost ? { ...way, onSent: onSentAgain } : way)
    if (answer?.code === 200) {
      way.onHold(undefined)
      return answer.info ?? answer.data
    }
    way.onSent?.(0)
    way.signal.throwIfAborted()
    const hold = holdOf(status)
    isLost = hold === 'network'
    way.onHold(hold)
    if (!hold) throw new PartRefused(answer?.message ?? '')
    await untilOnline(waitMs, way.signal)
  }
}

/** XMLHttpRequest, because fetch does not report upload progress. */
function post<Result>(path: string, body: Blob | string, { signal, onSent }: Way) {
  return new Promise<{ status: number; answer: Answer<Result> | null }>((resolve) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    signal.addEventListener('abort', abort)
    request.open('POST', path)
    const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream'
    request.setRequestHeader('content-type', type)
    request.setRequestHeader('accept-language', acceptLanguage(currentLanguage()))
    request.upload.addEventListener('progress', ({ loaded }) => onSent?.(loaded))
    request.addEventListener('loadend', () => {
      signal.removeEventListener('abort', abort)
      resolve({ status: request.status, answer: read<Result>(request.responseText) })
    })
    request.send(body)
  })
}

function read<Result>(text: string): Answer<Result> | null {
  try {
    // What the site's own route answers.
    return JSON.parse(text) as Answer<Result>
  } catch {
    return null
  }
}

/** Waits a while, and less where the network comes back. */
function untilOnline(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}
