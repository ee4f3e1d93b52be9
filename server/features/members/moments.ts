import type { Db, Tx } from '#server/tables.ts'

/**
 * What happens to a person's records in other features, which `members` does not know. Each feature offers its part as
 * functions of its face, `context.ts` registers them, and they run in the transaction of the moment itself.
 */
export interface Moments {
  /** Signing in with a guest's records at hand: all of `guestId`'s become `memberId`'s. Repeated, it changes nothing more. */
  merge: readonly ((tx: Tx, guestId: string, memberId: string) => Promise<void>)[]
  /** The person leaves: what is theirs goes, what the books must keep stays without them (security.md, "The person's data"). */
  erase: readonly ((tx: Tx, userId: string, now: Date) => Promise<void>)[]
  /** Everything that is kept of a person, by name, ready to be written as JSON. */
  export: readonly ((db: Db, userId: string) => Promise<Record<string, unknown>>)[]
}
