import { partPath } from '#contract/studio/uploads.ts'
import { acceptLanguage, currentLanguage } from '#web/lib/language.ts'

/** The server has answered, and will not take it however often it is sent. */
export class PartRefused extends Error {
  override name = 'PartRefused'
}

interface Answer {
  code: number
  message?: string
  info?: { complete: boolean }
}

const longestWaitMs = 30_000
/** HTTP statuses after which the same may be sent again. */
const passing = (status: number) => status === 0 || status === 408 || status === 429 || status >= 500

/**
 * Sends one part until it has arrived: a network that is lost is waited for.
 * @returns whether the file is whole
 * @throws PartRefused in words; the signal's reason when aborted
 */
export async function sendPart(
  to: { id: string; part: number },
  blob: Blob,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<boolean> {
  const path = partPath.replace(':id', to.id).replace(':part', String(to.part))
  for (let waitMs = 1000; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    signal.throwIfAborted()
    const { status, answer } = await post(path, blob, signal, onSent)
    if (answer?.code === 200) return answer.info?.complete === true
    if (!passing(status)) throw new PartRefused(answer?.message ?? '')
    onSent(0)
    await untilOnline(waitMs, signal)
  }
}

/** XMLHttpRequest, because fetch does not tell how much of a body has been sent. */
function post(path: string, blob: Blob, signal: AbortSignal, onSent: (bytes: number) => void) {
  return new Promise<{ status: number; answer: Answer | null }>((resolve) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    signal.addEventListener('abort', abort)
    request.open('POST', path)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.setRequestHeader('accept-language', acceptLanguage(currentLanguage()))
    request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
    request.addEventListener('loadend', () => {
      signal.removeEventListener('abort', abort)
      resolve({ status: request.status, answer: read(request.responseText) })
    })
    request.send(blob)
  })
}

function read(text: string): Answer | null {
  try {
    // What the site's own route answers.
    return JSON.parse(text) as Answer
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
