import { keep, kept } from '#web/lib/storage.ts'

/** Not in the DOM's types, since only some browsers tell it. */
declare global {
  interface Navigator {
    connection?: { saveData?: boolean; effectiveType?: string; downlink?: number }
  }
}

/** Bits a second. */
const firstGuess = 1_500_000
/** Another day the person may be elsewhere. */
const lastsMs = 86_400_000
/** A rung too high at the start costs more than one too low. */
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

/** What the first rung is chosen by, in bits a second: what the connection last gave, with caution. */
export function expectedBandwidth(): number {
  const measured = kept<Measured>('bandwidth')
  if (!measured || Date.now() - measured.at > lastsMs) return firstGuess
  const { downlink = Infinity } = navigator.connection ?? {}
  const expected = Math.min(measured.bitsPerSecond * caution, downlink * 1e6)
  return isSparing() ? Math.min(expected, firstGuess) : expected
}

export function rememberBandwidth(bitsPerSecond: number): void {
  if (Number.isFinite(bitsPerSecond) && bitsPerSecond > 0)
    keep<Measured>('bandwidth', { bitsPerSecond: Math.round(bitsPerSecond), at: Date.now() })
}
