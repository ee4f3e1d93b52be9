import { Fault } from '#contract/errors.ts'
import { countedNetworks } from './network-of.ts'

/** So soon another try is worth it. */
const retrySeconds = 15

/** What a slot counts against: a key, such as a network or everybody, and how many slots it may have at once. */
export type Share = readonly [key: string, most: number]

/** What something counts against for the networks of an address: `<kind> of <network>`. */
export const sharesOfNetworks = (kind: string, ip: string, most: number): Share[] =>
  countedNetworks(ip).map(({ network, times }) => [`${kind} of ${network}`, most * times])

export interface Slots {
  /**
   * Takes a slot of each share until the function it gives is called.
   * @throws Fault tooMany if one has none left
   */
  take(shares: readonly Share[]): () => void
}

/** Limits what this process does at once. */
export function createSlots(): Slots {
  const taken = new Map<string, number>()
  const change = (shares: readonly Share[], by: number) => {
    for (const [key] of shares) {
      const count = (taken.get(key) ?? 0) + by
      if (count > 0) taken.set(key, count)
      else taken.delete(key)
    }
  }
  return {
    take(shares) {
      const full = shares.find(([key, most]) => (taken.get(key) ?? 0) >= most)
      if (full) throw new Fault('tooMany', 'too many large answers are under way', retrySeconds)
      change(shares, 1)
      let held = true
      return () => {
        if (held) change(shares, -1)
        held = false
      }
    },
  }
}
