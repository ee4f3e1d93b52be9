/** A replica that lags by more than this is taken out of use. */
const maxLagMs = 5000
/**
 * A replica is used again at this lag. The limit is below `maxLagMs`, so that a replica does not alternate between in
 * use and out of use.
 */
const backLagMs = 2000

/**
 * Returns whether to read from a replica, given its lag in ms (undefined if unknown). Between the two limits, the
 * decision does not change.
 */
export function decideReplicaUse(lagMs: number | undefined): 'read' | 'leave out' | 'no change' {
  if (lagMs === undefined || lagMs > maxLagMs) return 'leave out'
  return lagMs <= backLagMs ? 'read' : 'no change'
}

/** A position in PostgreSQL's write-ahead log (WAL), in bytes from its beginning. */
export type WalPosition = bigint

/** Enough for more than an hour, with one position every other second. */
const maxPositions = 2000

/**
 * Records the primary's positions and when each was first seen. They show for how long a replica has been missing a
 * change. This does not depend on the machines' clocks, and works even while nothing is written or the primary is
 * disconnected.
 */
export class PrimaryPositions {
  #positions: { position: WalPosition; at: number }[] = []

  /** @param at in ms, by a monotonic clock */
  record(position: WalPosition, at: number): void {
    const last = this.#positions.at(-1)
    if (last?.position === position) return
    // The position went back: this is another primary, which lacks the last changes of the previous one.
    if (last && last.position > position) this.#positions = []
    this.#positions.push({ position, at })
    if (this.#positions.length > maxPositions) this.#positions.shift()
  }

  /**
   * Returns the lag in ms of a replica at this position, which is 0 if the replica is not behind. The lag is the time
   * since the primary was first seen ahead of the replica. Undefined if the replica is behind the first recorded
   * position.
   */
  lagOf(position: WalPosition, now: number): number | undefined {
    const [first] = this.#positions
    if (first && position < first.position) return undefined
    const missing = this.#positions.find((seen) => seen.position > position)
    return missing ? now - missing.at : 0
  }
}
