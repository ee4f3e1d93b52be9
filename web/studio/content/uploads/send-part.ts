import { startUploads, partPath, type StartedUpload, type AnnouncedFile } from '#contract/studio/uploads.ts'
import { acceptLanguage, currentLanguage } from '#web/lib/language.ts'

/** Thrown if the server rejects a part permanently. */
export class UploadRejected extends Error {
  override name = 'UploadRejected'
}

interface Answer<Result> {
  code: number
  message?: string
  info?: Result
  data?: Result
}

/** Why sending is paused: the network is lost, the site limits the rate, or the site does not respond. */
export type PauseReason = 'network' | 'limit' | 'site'

export interface SendOptions {
  signal: AbortSignal
  /** Called with the number of bytes sent, which restarts after a lost connection. */
  onSent?: (bytes: number) => void
  /** Called with the reason while sending is paused, and with undefined when it continues. */
  onPause: (hold: PauseReason | undefined) => void
}

const longestWaitMs = 30_000

/** Returns why a request with this HTTP status must wait before a retry; undefined if a retry is useless. */
function pauseReasonOf(status: number): PauseReason | undefined {
  if (status === 0 || status === 408) return 'network'
  if (status === 429) return 'limit'
  return status >= 500 ? 'site' : undefined
}

/**
 * Announces the files of a video to the server, retrying until the network is available.
 * @returns the result for each file, in their order
 * @throws UploadRejected with a readable message; the signal's reason when aborted
 */
export async function registerUploads(
  videoId: string,
  files: readonly AnnouncedFile[],
  way: SendOptions,
): Promise<StartedUpload[]> {
  const body = JSON.stringify({ video_id: videoId, files })
  const data = await sendUntilAnswered<{ list: StartedUpload[] }>(startUploads.path, body, way)
  if (!data) throw new UploadRejected('')
  return data.list
}

/**
 * Sends one part, retrying until the server has it.
 * @returns whether the file is complete
 * @throws UploadRejected with a readable message; the signal's reason when aborted
 */
export async function sendPart(
  to: { id: string; part: number },
  blob: Blob,
  way: SendOptions,
): Promise<boolean> {
  const path = partPath.replace(':id', to.id).replace(':part', String(to.part))
  const info = await sendUntilAnswered<{ complete: boolean }>(path, blob, way)
  return info?.complete === true
}

/** Retries a request until the server has answered, and waits for the network if it is lost. */
async function sendUntilAnswered<Result>(
  path: string,
  body: Blob | string,
  way: SendOptions,
): Promise<Result | undefined> {
  let hasConnectionFailed = false
  // The response to a large part takes a while, so sent bytes already show that the network is back.
  const onProgressResumed = (bytes: number) => {
    if (bytes > 0) way.onPause(undefined)
    way.onSent?.(bytes)
  }
  for (let waitMs = 1000; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    way.signal.throwIfAborted()
    const { status, answer } = await post<Result>(
      path,
      body,
      hasConnectionFailed ? { ...way, onSent: onProgressResumed } : way,
    )
    if (answer?.code === 200) {
      way.onPause(undefined)
      return answer.info ?? answer.data
    }
    way.onSent?.(0)
    way.signal.throwIfAborted()
    const hold = pauseReasonOf(status)
    hasConnectionFailed = hold === 'network'
    way.onPause(hold)
    if (!hold) throw new UploadRejected(answer?.message ?? '')
    await waitUntilOnline(waitMs, way.signal)
  }
}

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
function post<Result>(path: string, body: Blob | string, { signal, onSent }: SendOptions) {
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
    // The response of the site's own route.
    return JSON.parse(text) as Answer<Result>
  } catch {
    return null
  }
}

/** Waits for a delay, or until the network comes back. */
function waitUntilOnline(ms: number, signal: AbortSignal): Promise<void> {
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
