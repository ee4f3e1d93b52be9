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

/** Of the worker's segments, which the page's resource timing does not include. */
const workerTransfers: Transfer = { bytes: 0, ms: 0 }

/** Counts a segment that the worker has loaded. */
export function recordTransfer({ bytes, ms }: Transfer): void {
  workerTransfers.bytes += bytes
  workerTransfers.ms += ms
}

/** The bandwidth of this page's segments, with any player; undefined if the browser does not report it. */
function bandwidthSeen(): number | undefined {
  let bits = workerTransfers.bytes * 8
  let { ms } = workerTransfers
  for (const entry of performance.getEntriesByType('resource')) {
    const { name, encodedBodySize, transferSize, responseStart, responseEnd } =
      entry as PerformanceResourceTiming
    // What lay in the cache says nothing, and older Safari does not say how much came.
    if (!name.endsWith('.m4s') || !(transferSize >= leastBytes)) continue
    bits += encodedBodySize * 8
    ms += responseEnd - responseStart
  }
  return ms > 0 ? (bits / ms) * 1000 : undefined
}

function bandwidthKept(): number | undefined {
  const measured = readRecord<Measured>('bandwidth')
  return measured && Date.now() - measured.at <= lastsMs ? measured.bitsPerSecond : undefined
}

export function rememberBandwidth(bitsPerSecond: number): void {
  if (Number.isFinite(bitsPerSecond) && bitsPerSecond > 0)
    saveRecord<Measured>('bandwidth', { bitsPerSecond: Math.round(bitsPerSecond), at: Date.now() })
}
