import { XhrLoader, type FragmentLoaderContext, type HlsConfig } from 'hls.js'
import { recordTransfer } from './bandwidth.ts'
import type { SegmentReport, SegmentRequest } from './segment-worker.ts'

/** The worker for all streams of the page; undefined until it is ready. */
let worker: Worker | undefined
let isStarted = false
let lastId = 0
const pendingSegments = new Map<number, (report: SegmentReport) => void>()

/** Starts the worker that loads segments. Until it is ready, and if it fails to start, the page loads them itself. */
export function startSegmentWorker(): void {
  if (isStarted) return
  isStarted = true
  const started = new Worker(new URL('./segment-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<SegmentReport | 'ready'>) => {
    if (data === 'ready') worker = started
    else pendingSegments.get(data.id)?.(data)
  })
  started.addEventListener('error', disableWorker)
}

/**
 * Makes the page load segments itself. Reports the pending segments of the worker as failed, so that the page loads
 * them again.
 */
function disableWorker(): void {
  worker = undefined
  for (const [id, handleReport] of pendingSegments)
    handleReport({ id, kind: 'failed', status: 0, text: 'the segment worker has stopped' })
}

/** Loads segments in the worker: the main thread is then interrupted once per segment instead of once per chunk. */
export class SegmentLoader extends XhrLoader {
  // Narrows the type: hls.js passes this context, although the base class declares a wider type.
  declare context: FragmentLoaderContext | null
  private readonly withCurrentSignature: (url: string) => string
  private id = 0

  /** @param withCurrentSignature returns a segment's URL with the current signature */
  constructor(config: HlsConfig, withCurrentSignature: (url: string) => string) {
    super(config)
    this.withCurrentSignature = withCurrentSignature
  }

  protected override loadInternal(): void {
    const { config, context, stats } = this
    if (!worker || !config || !context || context.rangeEnd) return super.loadInternal()
    stats.loading.first = 0
    const { maxTimeToFirstByteMs, maxLoadTimeMs } = config.loadPolicy
    this.restartTimeout(Number.isFinite(maxTimeToFirstByteMs) ? maxTimeToFirstByteMs : maxLoadTimeMs)
    this.id = ++lastId
    pendingSegments.set(this.id, (report) => this.handleReport(report, stats.loading.start + maxLoadTimeMs))
    postToWorker({ id: this.id, url: this.withCurrentSignature(context.url), headers: context.headers ?? {} })
  }

  protected override abortInternal(): void {
    super.abortInternal()
    if (!pendingSegments.has(this.id)) return
    this.stats.aborted = true
    this.finish()
    postToWorker({ id: this.id, isUnwanted: true })
  }

  protected override loadtimeout(): void {
    const hasNoResponse = pendingSegments.has(this.id) && this.stats.loading.first === 0
    super.loadtimeout()
    // The browser may have terminated the worker, which then never responds.
    if (hasNoResponse) worker = undefined
  }

  private restartTimeout(ms: number): void {
    clearTimeout(this.requestTimeout)
    this.requestTimeout = window.setTimeout(() => this.loadtimeout(), ms)
  }

  private finish(): void {
    clearTimeout(this.requestTimeout)
    pendingSegments.delete(this.id)
  }

  private handleReport(report: SegmentReport, deadline: number): void {
    const { callbacks, context, stats } = this
    if (!callbacks || !context) return
    if (report.kind === 'failed') {
      this.finish()
      callbacks.onError({ code: report.status, text: report.text }, context, null, stats)
      return
    }
    const now = performance.now()
    stats.loading.first = Math.max(now - report.msSinceHeaders, stats.loading.start)
    stats.loaded = report.loaded
    stats.total = report.total
    if (report.kind === 'progress') return this.restartTimeout(deadline - now)
    this.finish()
    if (report.transfer) recordTransfer(report.transfer)
    stats.loading.end = now
    stats.bwEstimate = (stats.total * 8000) / (stats.loading.end - stats.loading.first)
    const { url, data, status: code } = report
    callbacks.onProgress?.(stats, context, data, null)
    callbacks.onSuccess({ url, data, code }, stats, context, null)
  }
}

function postToWorker(request: SegmentRequest): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no target origin
  worker?.postMessage(request)
}
