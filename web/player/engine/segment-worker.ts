/// <reference lib="webworker" />

declare const self: DedicatedWorkerGlobalScope

/** A request from the page: load a segment, or abort a request. */
export type SegmentRequest =
  | { id: number; url: string; headers: Record<string, string> }
  | { id: number; isUnwanted: true }

/** Progress of a segment. The time is a duration, because the worker's clock differs from the page's. */
interface Progress {
  msSinceHeaders: number
  loaded: number
  /** 0 if the server does not send the length. */
  total: number
}

/** A report to the page. Progress is sent only for slow segments, because each message interrupts the page. */
export type SegmentReport = { id: number } & (
  | (Progress & { kind: 'progress' })
  | (Progress & { kind: 'loaded'; status: number; url: string; data: ArrayBuffer; transfer?: Transfer })
  | { kind: 'failed'; status: number; text: string }
)

/** Resource timing of a segment, which the page's own timing does not include. */
export type Transfer = Pick<
  PerformanceResourceTiming,
  'transferSize' | 'encodedBodySize' | 'responseStart' | 'responseEnd'
>

const reportEveryMs = 100

const activeRequests = new Map<number, AbortController>()

const report = (message: SegmentReport, transferables: Transferable[] = []) =>
  self.postMessage(message, transferables)

self.addEventListener('message', ({ data }: MessageEvent<SegmentRequest>) => {
  if ('isUnwanted' in data) activeRequests.get(data.id)?.abort()
  else void load(data)
})
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's page is its only listener
self.postMessage('ready')

async function load({ id, url, headers }: Extract<SegmentRequest, { url: string }>): Promise<void> {
  const abortController = new AbortController()
  activeRequests.set(id, abortController)
  try {
    const response = await fetch(url, { headers, signal: abortController.signal })
    if (response.ok) await read(id, url, response)
    else report({ id, kind: 'failed', status: response.status, text: response.statusText })
  } catch (error) {
    // The page aborted the request and expects no report.
    if (!abortController.signal.aborted) report({ id, kind: 'failed', status: 0, text: String(error) })
  } finally {
    // Closes the connection of an error response, whose body was not read.
    abortController.abort()
    activeRequests.delete(id)
  }
}

async function read(id: number, url: string, response: Response): Promise<void> {
  const headersAt = performance.now()
  const total = Number(response.headers.get('content-length') ?? 0)
  const chunks: Uint8Array[] = []
  let loaded = 0
  const progress = () => ({ msSinceHeaders: performance.now() - headersAt, loaded, total })
  const reporting = setInterval(() => report({ id, kind: 'progress', ...progress() }), reportEveryMs)
  try {
    const reader = response.body?.getReader()
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      chunks.push(next.value)
      loaded += next.value.length
    }
  } finally {
    clearInterval(reporting)
  }
  const { status, url: responseUrl } = response
  const data = concatenate(chunks, loaded)
  const transfer = readTransfer(new URL(url, self.location.href).href)
  report({ id, kind: 'loaded', ...progress(), total: loaded, status, url: responseUrl, data, transfer }, [
    data,
  ])
}

function concatenate(chunks: Uint8Array[], length: number): ArrayBuffer {
  const result = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    result.set(chunk, offset)
    offset += chunk.length
  }
  return result.buffer
}

function readTransfer(address: string): Transfer | undefined {
  const entry = performance.getEntriesByName(address).at(-1)
  performance.clearResourceTimings()
  if (!(entry instanceof PerformanceResourceTiming)) return undefined
  const { transferSize, encodedBodySize, responseStart, responseEnd } = entry
  return { transferSize, encodedBodySize, responseStart, responseEnd }
}
