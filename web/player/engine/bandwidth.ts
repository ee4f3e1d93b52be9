import { saveRecord, readRecord } from '#web/lib/storage.ts'
import type { Transfer } from './segment-worker.ts'

/** Missing in the DOM's types, because only some browsers have it. */
declare global {
  interface Navigator {
    connection?: { saveData?: boolean; effectiveType?: string; downlink?: number }
  }
}

/** Bits per second, assumed before the first measurement. */
const firstGuess = 1_500_000
/** A measurement expires after a day, because the user may be on another network. */
const lastsMs = 86_400_000
/** Segments smaller than this are not measured, because latency is the larger part of their time. */
const leastBytes = 16_000
/** Factor on the expected bandwidth: a rendition too high at the start costs more than one too low. */
const caution = 0.7

interface Measured {
  bitsPerSecond: number
  at: number
}

/** Returns whether to save data: the user asked for it, or the connection is slow. */
export function isSparing(): boolean {
  const { saveData = false, effectiveType = '' } = navigator.connection ?? {}
  return saveData || ['slow-2g', '2g', '3g'].includes(effectiveType)
}

/** Returns the bandwidth in bits per second for choosing the first rendition: measured now or stored, reduced by a safety factor. */
export function expectedBandwidth(): number {
  const measured = bandwidthSeen() ?? bandwidthKept()
  if (measured === undefined) return firstGuess
  const { downlink = Infinity } = navigator.connection ?? {}
  const expected = Math.min(measured * caution, downlink * 1e6)
  return isSparing() ? Math.min(expected, firstGuess) : expected
}

/** Returns whether the measured bandwidth is enough for two streams. */
export function isAmple(): boolean {
  return (bandwidthSeen() ?? 0) >= firstGuess
}

/** The total of segments loaded by the worker. */
const workerTotal = { bits: 0, ms: 0 }

/** Counts a segment that the worker has loaded. */
export function recordTransfer(transfer: Transfer): void {
  addTransfer(workerTotal, transfer)
}

/** Returns the bandwidth of this page's segments, with any player; undefined if the browser does not report it. */
function bandwidthSeen(): number | undefined {
  const total = { ...workerTotal }
  for (const entry of performance.getEntriesByType('resource'))
    if (entry.name.endsWith('.m4s')) addTransfer(total, entry as PerformanceResourceTiming)
  return total.ms > 0 ? (total.bits / total.ms) * 1000 : undefined
}

/** Adds a transfer to the total. Skips cached responses and those without a size (older Safari). */
function addTransfer(
  total: typeof workerTotal,
  { transferSize, encodedBodySize, responseStart, responseEnd }: Transfer,
): void {
  if (!(transferSize >= leastBytes)) return
  total.bits += encodedBodySize * 8
  total.ms += responseEnd - responseStart
}

function bandwidthKept(): number | undefined {
  const measured = readRecord<Measured>('bandwidth')
  return measured && Date.now() - measured.at <= lastsMs ? measured.bitsPerSecond : undefined
}

export function rememberBandwidth(bitsPerSecond: number): void {
  if (Number.isFinite(bitsPerSecond) && bitsPerSecond > 0)
    saveRecord<Measured>('bandwidth', { bitsPerSecond: Math.round(bitsPerSecond), at: Date.now() })
}
