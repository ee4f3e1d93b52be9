import { saveRecord, readRecord } from '#web/lib/storage.ts'
import type { Transfer } from './segment-worker.ts'

/** Declares the Network Information API, which TypeScript's DOM types lack because only some browsers have it. */
declare global {
  interface Navigator {
    connection?: { saveData?: boolean; effectiveType?: string; downlink?: number }
  }
}

/** Bits per second, used if no measurement exists. */
const defaultBandwidth = 1_500_000
/** A measurement expires after a day, because the user may be on another network. */
const maxAgeMs = 86_400_000
/** Segments smaller than this are not measured, because latency is the larger part of their load time. */
const minBytes = 16_000
/**
 * Lowers the expected bandwidth: a first rendition that is too high causes a stall, which is worse than a low picture
 * quality.
 */
const safetyFactor = 0.7

interface StoredMeasurement {
  bitsPerSecond: number
  at: number
}

/** Returns whether to save data: the user asked for it, or the connection is slow. */
export function shouldSaveData(): boolean {
  const { saveData = false, effectiveType = '' } = navigator.connection ?? {}
  return saveData || ['slow-2g', '2g', '3g'].includes(effectiveType)
}

/**
 * Returns the bandwidth in bits per second by which the first rendition is chosen. It is the current or stored
 * measurement, reduced by a safety factor and limited by the browser's estimate. Without a measurement, it is a
 * default.
 */
export function expectedBandwidth(): number {
  const measured = measuredBandwidth() ?? storedBandwidth()
  if (measured === undefined) return defaultBandwidth
  const { downlink = Infinity } = navigator.connection ?? {}
  const expected = Math.min(measured * safetyFactor, downlink * 1e6)
  return shouldSaveData() ? Math.min(expected, defaultBandwidth) : expected
}

/** Returns whether the measured bandwidth is enough for two streams. */
export function hasSpareBandwidth(): boolean {
  return (measuredBandwidth() ?? 0) >= defaultBandwidth
}

/** Bits and milliseconds of the segments that the worker has loaded. */
const workerTotal = { bits: 0, ms: 0 }

/** Adds a segment that the worker has loaded to the measurement. The page's resource timing does not include it. */
export function recordTransfer(transfer: Transfer): void {
  addTransfer(workerTotal, transfer)
}

/**
 * Returns the bandwidth in bits per second at which this page loaded segments, in either player. Undefined if the
 * browser does not report sizes.
 */
function measuredBandwidth(): number | undefined {
  const total = { ...workerTotal }
  for (const entry of performance.getEntriesByType('resource'))
    if (entry.name.endsWith('.m4s')) addTransfer(total, entry as PerformanceResourceTiming)
  return total.ms > 0 ? (total.bits / total.ms) * 1000 : undefined
}

/** Adds a transfer to the total. Skips small and cached responses, and those without a size (older Safari). */
function addTransfer(
  total: typeof workerTotal,
  { transferSize, encodedBodySize, responseStart, responseEnd }: Transfer,
): void {
  if (!(transferSize >= minBytes)) return
  total.bits += encodedBodySize * 8
  total.ms += responseEnd - responseStart
}

function storedBandwidth(): number | undefined {
  const measured = readRecord<StoredMeasurement>('bandwidth')
  return measured && Date.now() - measured.at <= maxAgeMs ? measured.bitsPerSecond : undefined
}

export function storeBandwidth(bitsPerSecond: number): void {
  if (Number.isFinite(bitsPerSecond) && bitsPerSecond > 0)
    saveRecord<StoredMeasurement>('bandwidth', { bitsPerSecond: Math.round(bitsPerSecond), at: Date.now() })
}
