/// <reference lib="webworker" />

declare const self: DedicatedWorkerGlobalScope

/** What the page asks for: a segment, or that one is no longer wanted. */
export type SegmentRequest =
  | { id: number; url: string; headers: Record<string, string> }
  | { id: number; isUnwanted: true }

/** Milliseconds since 1970, as far as it is known: the worker's own clock began later than the page's. */
interface Timing {
  firstByteAt: number
  loaded: number
  /** 0 where the server does not say it. */
  total: number
}

/** What the page is told of a segment. It hears of progress only where a segment takes long: each message interrupts it. */
export type SegmentReport = { id: number } & (
  | (Timing & { kind: 'progress' })
  | (Timing & { kind: 'loaded'; endedAt: number; status: number; url: string; data: ArrayBuffer; sent: Sent })
  | { kind: 'failed'; status: number; text: string }
)

/** What came over the network, of which the page's own list of resources does not tell. */
export interface Sent {
  bytes: number
  ms: number
}

const reportEveryMs = 250

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
    const firstByteAt = now()
    if (response.ok) await read(id, url, response, firstByteAt)
    else report({ id, kind: 'failed', status: response.status, text: response.statusText })
  } catch (error) {
    // Whoever does not want it any more hears nothing more of it.
    if (!unwanted.signal.aborted) report({ id, kind: 'failed', status: 0, text: String(error) })
  } finally {
    wanted.delete(id)
  }
}

async function read(id: number, url: string, response: Response, firstByteAt: number): Promise<void> {
  const total = Number(response.headers.get('content-length') ?? 0)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let loaded = 0
  let reportedAt = firstByteAt
  for await (const chunk of chunksOf(response)) {
    chunks.push(chunk)
    loaded += chunk.length
    if (now() - reportedAt < reportEveryMs) continue
    reportedAt = now()
    report({ id, kind: 'progress', firstByteAt, loaded, total })
  }
  const data = await new Blob(chunks).arrayBuffer()
  const { status } = response
  const timing = { firstByteAt, endedAt: now(), loaded, total: loaded }
  report({ id, kind: 'loaded', ...timing, status, url: response.url, data, sent: sentFor(url) }, [data])
}

/** Safari cannot iterate over a body. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value
}

function sentFor(url: string): Sent {
  const entry = performance.getEntriesByName(url).at(-1)
  performance.clearResourceTimings()
  if (!(entry instanceof PerformanceResourceTiming)) return { bytes: 0, ms: 0 }
  const { transferSize, encodedBodySize, responseStart, responseEnd } = entry
  return { bytes: transferSize && encodedBodySize, ms: responseEnd - responseStart }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
