import { saveRecord, readRecord } from '#web/lib/storage.ts'
import type { Transfer } from './segment-worker.ts'

/** Not in the DOM's types, because only some browsers have it. */
declare global {
  interface Navigator {
    connection?: { saveData?: boolean; effectiveType?: string; downlink?: number }
  }
}

/** Bits a second. */
const firstGuess = 1_500_000
/** Another day the person may be elsewhere. */
const lastsMs = 86_400_000
/** Of less the connection's latency is the larger part. */
const leastBytes = 16_000
/** A rendition too high at the start costs more than one too low. */
const caution = 0.7

interface Measured {
  bitsPerSecond: number
  at: number
}

/** Where every byte may cost: the person asked to save data, or the connection is a slow one. */
export function isSparing(): boolean {
  const { saveData = false, effectiveType = '' } = navigator.connection ?? {}
  return saveData || ['slow-2g', '2g', '3g'].includes(effectiveType)
}

/** What the first rendition is chosen by, in bits a second: what the connection gives or last gave, with caution. */
export function expectedBandwidth(): number {
  const measured = bandwidthSeen() ?? bandwidthKept()
  if (measured === undefined) return firstGuess
  const { downlink = Infinity } = navigator.connection ?? {}
  const expected = Math.min(measured * caution, downlink * 1e6)
  return isSparing() ? Math.min(expected, firstGuess) : expected
}

/** Whether what was fetched so far came so fast that there is enough for two. */
export function isAmple(): boolean {
  return (bandwidthSeen() ?? 0) >= firstGuess
}

/** The segments that the worker has loaded. */
const workerTotal = { bits: 0, ms: 0 }

/** Counts a segment that the worker has loaded. */
export function recordTransfer(transfer: Transfer): void {
  addTransfer(workerTotal, transfer)
}

/** The bandwidth of this page's segments, with any player; undefined if the browser does not report it. */
function bandwidthSeen(): number | undefined {
  const total = { ...workerTotal }
  for (const entry of performance.getEntriesByType('resource'))
    if (entry.name.endsWith('.m4s')) addTransfer(total, entry as PerformanceResourceTiming)
  return total.ms > 0 ? (total.bits / total.ms) * 1000 : undefined
}

/** A response from the cache is not counted, nor one of which the browser does not report the size (older Safari). */
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
