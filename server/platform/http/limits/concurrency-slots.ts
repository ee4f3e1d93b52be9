import { Fault } from '#contract/errors.ts'
import { countedNetworks } from './client-network.ts'

/** Retry-After when no slot is free. */
const retrySeconds = 15

/** A key that a slot counts against, such as a network, and its maximum concurrent slots. */
export type SlotLimit = readonly [key: string, max: number]

/** Returns the slot limits for an address's networks, with the keys `<kind> of <network>`. */
export const networkSlotLimits = (kind: string, ip: string, max: number): SlotLimit[] =>
  countedNetworks(ip).map(({ network, multiplier }) => [`${kind} of ${network}`, max * multiplier])

export interface Slots {
  /**
   * Takes one slot under each of these limits; the returned function releases them all.
   * @throws Fault tooManyRequests if one of them has no free slot
   */
  take(shares: readonly SlotLimit[]): () => void
}

/** Limits concurrent work in this process. */
export function createSlots(): Slots {
  const inUse = new Map<string, number>()
  const change = (shares: readonly SlotLimit[], by: number) => {
    for (const [key] of shares) {
      const count = (inUse.get(key) ?? 0) + by
      if (count > 0) inUse.set(key, count)
      else inUse.delete(key)
    }
  }
  return {
    take(shares) {
      const full = shares.find(([key, max]) => (inUse.get(key) ?? 0) >= max)
      if (full) throw new Fault('tooManyRequests', 'too many downloads in progress', retrySeconds)
      change(shares, 1)
      let isTaken = true
      return () => {
        if (isTaken) change(shares, -1)
        isTaken = false
      }
    },
  }
}
