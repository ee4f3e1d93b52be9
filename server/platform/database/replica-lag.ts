/** A position in PostgreSQL's log of changes (WAL), as bytes from its beginning. */
export type WalPosition = bigint

/** More than an hour of changes, looked at every other second. */
const mostNotes = 2000

/**
 * The positions of the primary, and when each was first seen. From them follows how long a replica has missed something, whatever
 * the clocks of the machines say, and also while nothing is written or the connection between both is cut.
 */
export class PrimaryPositions {
  #notes: { position: WalPosition; at: number }[] = []

  /** @param at in ms, by a clock that is never set */
  note(position: WalPosition, at: number): void {
    const last = this.#notes.at(-1)
    if (last?.position === position) return
    // Another primary, which lacks the last changes of the one before.
    if (last && last.position > position) this.#notes = []
    this.#notes.push({ position, at })
    if (this.#notes.length > mostNotes) this.#notes.shift()
  }

  /** How many ms ago the primary was first seen beyond a replica's position; undefined if that was before the first note. */
  lagOf(position: WalPosition, now: number): number | undefined {
    const [first] = this.#notes
    if (first && position < first.position) return undefined
    const missing = this.#notes.find((note) => note.position > position)
    return missing ? now - missing.at : 0
  }
}
