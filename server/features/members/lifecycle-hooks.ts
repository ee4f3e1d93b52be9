import type { AdIds } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'

/** Who became a member just now, and what their browser said with it. */
export interface Newcomer {
  id: string
  email: string | undefined
  userAgent: string
  adIds: AdIds
}

/**
 * What happens to a person's records in other features, which `members` does not know. Each feature offers its part as
 * functions (`feature.ts`), and they run in the transaction of the event itself.
 */
export interface LifecycleHooks {
  /** A guest gets a row, because something is stored for them; the ids say where they came from. */
  keep: readonly ((tx: Tx, userId: string, ids: AdIds) => Promise<void>)[]
  /** A guest became a member by registering. */
  register: readonly ((tx: Tx, newcomer: Newcomer) => Promise<void>)[]
  /** The person answered about marketing; the answer is stored by now. */
  consent: readonly ((tx: Tx, userId: string, marketing: boolean, ids: AdIds) => Promise<void>)[]
  /** Signing in with a guest's records at hand: all of `guestId`'s become `memberId`'s. Repeated, it changes nothing more. */
  merge: readonly ((tx: Tx, guestId: string, memberId: string) => Promise<void>)[]
  /** When a guest last did something of which the feature has a record; it is forgotten when that is too long ago. */
  lastActive: readonly ((tx: Tx, userId: string) => Promise<Date | undefined>)[]
  /** Whether a person may be deleted: what they would lose is refused, unless they insist; what nothing can be lost of yet is in any case. */
  mayErase: readonly ((tx: Tx, userId: string, insists: boolean) => Promise<void>)[]
  /** The person's data are deleted; what the ledger must keep stays without their name (security.md, "The person's data"). */
  erase: readonly ((tx: Tx, userId: string, now: Date) => Promise<void>)[]
  /** Everything that is kept of a person, by name, ready to be written as JSON; a list that may be long is read page by page (`Pages`). */
  export: readonly ((db: Db, userId: string) => Promise<Record<string, unknown>>)[]
}

/** Runs the hooks of a guest who becomes a member: for some of them the guest's row was inserted only now. */
export async function welcomeNewcomer(
  { keep, register }: Pick<LifecycleHooks, 'keep' | 'register'>,
  tx: Tx,
  newcomer: Newcomer,
): Promise<void> {
  for (const runHook of keep) await runHook(tx, newcomer.id, newcomer.adIds)
  for (const runHook of register) await runHook(tx, newcomer)
}

/** Joins the hooks of several features, in the order given. */
export function joinLifecycleHooks(features: readonly Partial<LifecycleHooks>[]): LifecycleHooks {
  const all = <Hook>(pick: (hooks: Partial<LifecycleHooks>) => readonly Hook[] | undefined) =>
    features.flatMap((hooks) => pick(hooks) ?? [])
  return {
    keep: all((hooks) => hooks.keep),
    register: all((hooks) => hooks.register),
    consent: all((hooks) => hooks.consent),
    merge: all((hooks) => hooks.merge),
    lastActive: all((hooks) => hooks.lastActive),
    mayErase: all((hooks) => hooks.mayErase),
    erase: all((hooks) => hooks.erase),
    export: all((hooks) => hooks.export),
  }
}
