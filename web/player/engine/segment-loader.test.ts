import type { HlsConfig, LoaderCallbacks, LoaderContext } from 'hls.js'
import { beforeEach, expect, test, vi } from 'vitest'
import { hasSpareBandwidth } from './bandwidth.ts'
import type { SegmentReport, SegmentRequest } from './segment-worker.ts'

vi.stubGlobal('self', globalThis)
vi.stubGlobal('window', globalThis)

/** Replaces the worker: stores requests, and posts the reports that a test gives it. */
class TestWorker extends EventTarget {
  static latest: TestWorker
  readonly requests: SegmentRequest[] = []
  constructor() {
    super()
    TestWorker.latest = this
  }
  postMessage(request: SegmentRequest): void {
    this.requests.push(request)
  }
  report(data: SegmentReport | 'ready'): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}
vi.stubGlobal('Worker', TestWorker)

const { SegmentLoader, startSegmentWorker } = await import('./segment-loader.ts')
startSegmentWorker()
const worker = TestWorker.latest

const loadPolicy = { maxTimeToFirstByteMs: 1000, maxLoadTimeMs: 5000, errorRetry: null, timeoutRetry: null }

beforeEach(() => {
  vi.useFakeTimers()
  worker.report('ready')
  worker.requests.length = 0
  return () => vi.useRealTimers()
})

/**
 * Requests a segment.
 * @returns the loader, the names of the callbacks called so far, and the request's id in the worker
 */
function load() {
  const called: string[] = []
  const note = (name: string) => () => void called.push(name)
  const callbacks: LoaderCallbacks<LoaderContext> = {
    onSuccess: ({ data }) => called.push(`success ${(data as ArrayBuffer).byteLength}`),
    onError: ({ code }) => called.push(`error ${code}`),
    onTimeout: note('timeout'),
    onAbort: note('abort'),
  }
  // The properties of the context that the loader reads.
  const loader = new SegmentLoader({} as HlsConfig, (url) => `${url}?fresh`)
  const context = { url: '/00004.m4s', responseType: 'arraybuffer' } as LoaderContext
  const limits = { loadPolicy, timeout: 5000, maxRetry: 0, retryDelay: 0, maxRetryDelay: 0 }
  loader.load(context, limits, callbacks)
  const { id } = worker.requests[0] ?? { id: Number.NaN }
  return { loader, called, id }
}

const loaded = (id: number): SegmentReport => ({
  id,
  kind: 'loaded',
  msSinceHeaders: 200,
  loaded: 50_000,
  total: 50_000,
  status: 200,
  url: '/00004.m4s?fresh',
  data: new ArrayBuffer(50_000),
  transfer: { transferSize: 50_300, encodedBodySize: 50_000, responseStart: 100, responseEnd: 300 },
})

test("requests a segment with the current signature, and uses the worker's timing", () => {
  expect(hasSpareBandwidth()).toBe(false)
  const { loader, called, id } = load()
  expect(worker.requests).toEqual([{ id, url: '/00004.m4s?fresh', headers: {} }])
  vi.advanceTimersByTime(400)
  worker.report(loaded(id))
  expect(called).toEqual(['success 50000'])
  const { start, first, end } = loader.stats.loading
  expect(first - start).toBeCloseTo(200)
  expect(end - first).toBeCloseTo(200)
  expect(hasSpareBandwidth()).toBe(true)
  vi.advanceTimersByTime(10_000)
  expect(called).toEqual(['success 50000'])
})

test('aborts a segment, in the worker too, if no response arrives in time', () => {
  const { called, id } = load()
  vi.advanceTimersByTime(1100)
  expect(called).toEqual(['timeout'])
  expect(worker.requests.at(-1)).toEqual({ id, isUnwanted: true })
  worker.report(loaded(id))
  expect(called).toEqual(['timeout'])
})

test('allows a segment the full load time once it makes progress, and reports the progress', () => {
  const { loader, called, id } = load()
  vi.advanceTimersByTime(900)
  worker.report({ id, kind: 'progress', msSinceHeaders: 100, loaded: 10_000, total: 50_000 })
  expect(loader.stats).toMatchObject({ loaded: 10_000, total: 50_000 })
  vi.advanceTimersByTime(4000)
  expect(called).toEqual([])
  vi.advanceTimersByTime(200)
  expect(called).toEqual(['timeout'])
})

test('reports a failure with its status, once', () => {
  const { called, id } = load()
  worker.report({ id, kind: 'failed', status: 403, text: 'Forbidden' })
  vi.advanceTimersByTime(10_000)
  expect(called).toEqual(['error 403'])
})

test('stops an aborted segment in the worker and ignores its reports', () => {
  const { loader, called, id } = load()
  loader.abort()
  expect(worker.requests.at(-1)).toEqual({ id, isUnwanted: true })
  worker.report(loaded(id))
  expect(called).toEqual(['abort'])
  expect(loader.stats.aborted).toBe(true)
})

test('fails the pending segments of a terminated worker and loads later segments in the page', () => {
  const { called } = load()
  worker.dispatchEvent(new Event('error'))
  expect(called).toEqual(['error 0'])
  expectLoadedByPage()
})

test('stops using a worker that does not respond', () => {
  load()
  vi.advanceTimersByTime(1100)
  expectLoadedByPage()
})

function expectLoadedByPage(): void {
  const opened: string[] = []
  const open = (_method: string, url: string) => opened.push(url)
  vi.stubGlobal('XMLHttpRequest', function () {
    return { readyState: 0, open, send() {}, abort() {} }
  })
  worker.requests.length = 0
  load().loader.destroy()
  expect(worker.requests).toEqual([])
  expect(opened).toEqual(['/00004.m4s'])
}
