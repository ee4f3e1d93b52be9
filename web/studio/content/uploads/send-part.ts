import { startUploads, partPath, type StartedUpload, type AnnouncedFile } from '#contract/studio/uploads.ts'
import { acceptLanguage, currentLanguage } from '#web/lib/language.ts'

/** Thrown if the server permanently rejects files or a part of a file. */
export class UploadRejected extends Error {
  override name = 'UploadRejected'
}

interface Answer<Result> {
  code: number
  message?: string
  info?: Result
  data?: Result
}

/**
 * The reason of a pause: no connection (`network`), a rate limit (`limit`), or a site that does not respond (`site`).
 */
export type PauseReason = 'network' | 'limit' | 'site'

export interface SendOptions {
  signal: AbortSignal
  /** Called with the number of bytes sent so far. The number starts at 0 again after a failed attempt. */
  onSent?: (bytes: number) => void
  /** Called with the reason when sending pauses, and with undefined when it continues. */
  onPause: (hold: PauseReason | undefined) => void
}

const longestWaitMs = 30_000

/** Returns the reason why a request with this HTTP status waits before its retry; undefined if a retry is useless. */
function pauseReasonOf(status: number): PauseReason | undefined {
  if (status === 0 || status === 408) return 'network'
  if (status === 429) return 'limit'
  return status >= 500 ? 'site' : undefined
}

/**
 * Registers the files of a video at the server, and retries until the server accepts or rejects the request.
 * @returns the result for each file, in the same order
 * @throws UploadRejected with the server's message, which may be empty; the signal's reason when aborted
 */
export async function registerUploads(
  videoId: string,
  files: readonly AnnouncedFile[],
  options: SendOptions,
): Promise<StartedUpload[]> {
  const body = JSON.stringify({ video_id: videoId, files })
  const data = await sendUntilAnswered<{ list: StartedUpload[] }>(startUploads.path, body, options)
  if (!data) throw new UploadRejected('')
  return data.list
}

/**
 * Sends one part of a file, and retries until the server has it.
 * @returns whether the file is now complete
 * @throws UploadRejected with the server's message, which may be empty; the signal's reason when aborted
 */
export async function sendPart(
  to: { id: string; part: number },
  blob: Blob,
  options: SendOptions,
): Promise<boolean> {
  const path = partPath.replace(':id', to.id).replace(':part', String(to.part))
  const info = await sendUntilAnswered<{ complete: boolean }>(path, blob, options)
  return info?.complete === true
}

/** Sends a request, and retries it with exponential backoff until the server accepts or rejects it. */
async function sendUntilAnswered<Result>(
  path: string,
  body: Blob | string,
  options: SendOptions,
): Promise<Result | undefined> {
  let hasConnectionFailed = false
  // The response to a large part takes long; sent bytes already show that the connection is back.
  const onProgressResumed = (bytes: number) => {
    if (bytes > 0) options.onPause(undefined)
    options.onSent?.(bytes)
  }
  for (let waitMs = 1000; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    options.signal.throwIfAborted()
    const { status, answer } = await post<Result>(
      path,
      body,
      hasConnectionFailed ? { ...options, onSent: onProgressResumed } : options,
    )
    if (answer?.code === 200) {
      options.onPause(undefined)
      return answer.info ?? answer.data
    }
    options.onSent?.(0)
    options.signal.throwIfAborted()
    const hold = pauseReasonOf(status)
    hasConnectionFailed = hold === 'network'
    options.onPause(hold)
    if (!hold) throw new UploadRejected(answer?.message ?? '')
    await waitUntilOnline(waitMs, options.signal)
  }
}

/** Sends one request, with XMLHttpRequest because fetch does not report the upload progress. */
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
    // Not validated, because it is a response of our own server.
    return JSON.parse(text) as Answer<Result>
  } catch {
    return null
  }
}

/** Waits for a delay, or until the browser is online again. */
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
