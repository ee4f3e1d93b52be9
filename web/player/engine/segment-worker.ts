/// <reference lib="webworker" />

declare const self: DedicatedWorkerGlobalScope

/** What the page asks for: a segment, or that one is no longer wanted. */
export type SegmentRequest =
  | { id: number; url: string; headers: Record<string, string> }
  | { id: number; isUnwanted: true }

/** How far a segment is. Its time is a length, since the worker's clock is not the page's. */
interface Progress {
  msSinceHeaders: number
  loaded: number
  /** 0 where the server does not say it. */
  total: number
}

/** What the page is told of a segment: of progress only while it takes long, since each message interrupts the page. */
export type SegmentReport = { id: number } & (
  | (Progress & { kind: 'progress' })
  | (Progress & { kind: 'loaded'; status: number; url: string; data: ArrayBuffer; transfer?: Transfer })
  | { kind: 'failed'; status: number; text: string }
)

/** The resource timing of a segment, which the page's own does not include. */
export type Transfer = Pick<
  PerformanceResourceTiming,
  'transferSize' | 'encodedBodySize' | 'responseStart' | 'responseEnd'
>

const reportEveryMs = 100

const wanted = new Map<number, AbortController>()

const report = (message: SegmentReport, transfer: Transferable[] = []) => self.postMessage(message, transfer)

self.addEventListener('message', ({ data }: MessageEvent<SegmentRequest>) => {
  if ('isUnwanted' in data) wanted.get(data.id)?.abort()
  else void load(data)
})
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's page is its only listener
self.postMessage('ready')

async function load({ id, url, headers }: Extract<SegmentRequest, { url: string }>): Promise<void> {
  const unwanted = new AbortController()
  wanted.set(id, unwanted)
  try {
    const response = await fetch(url, { headers, signal: unwanted.signal })
    if (response.ok) await read(id, url, response)
    else report({ id, kind: 'failed', status: response.status, text: response.statusText })
  } catch (error) {
    // An aborted request is not reported.
    if (!unwanted.signal.aborted) report({ id, kind: 'failed', status: 0, text: String(error) })
  } finally {
    // The body of a refusal would keep its connection.
    unwanted.abort()
    wanted.delete(id)
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
  const { status, url: from } = response
  const data = joined(chunks, loaded)
  const transfer = transferOf(new URL(url, self.location.href).href)
  report({ id, kind: 'loaded', ...progress(), total: loaded, status, url: from, data, transfer }, [data])
}

function joined(chunks: Uint8Array[], length: number): ArrayBuffer {
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole.buffer
}

function transferOf(address: string): Transfer | undefined {
  const entry = performance.getEntriesByName(address).at(-1)
  performance.clearResourceTimings()
  if (!(entry instanceof PerformanceResourceTiming)) return undefined
  const { transferSize, encodedBodySize, responseStart, responseEnd } = entry
  return { transferSize, encodedBodySize, responseStart, responseEnd }
}
