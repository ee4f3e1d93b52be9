import type { AdIds } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'

/** A new member, and the data that their browser sent. */
export interface Newcomer {
  id: string
  email: string | undefined
  userAgent: string
  adIds: AdIds
}

export interface BegunSession {
  userId: string
  sessionId: string
  /** The session of the same browser that it replaces. */
  formerSessionId: string | undefined
}

/**
 * Hooks for a user's records in other features, which `members` does not know. Each feature provides its part as functions
 * (`feature.ts`), which run in the transaction of the event itself.
 */
export interface LifecycleHooks {
  /** Called when a guest gets a row because something is stored for them; the ids say where they came from. */
  keep: readonly ((tx: Tx, userId: string, ids: AdIds) => Promise<void>)[]
  /** Called when a guest has become a member by registering. */
  register: readonly ((tx: Tx, newcomer: Newcomer) => Promise<void>)[]
  /** Called when a user has answered about marketing; the answer is stored by now. */
  consent: readonly ((tx: Tx, userId: string, marketing: boolean, ids: AdIds) => Promise<void>)[]
  /** Called when a member signs in with a guest's records: all of `guestId`'s become `memberId`'s. It must be idempotent. */
  merge: readonly ((tx: Tx, guestId: string, memberId: string) => Promise<void>)[]
  /** Called when a session of a member begins; the session of the call, if any, ends after it. */
  signIn: readonly ((tx: Tx, begun: BegunSession) => Promise<void>)[]
  /** Returns when a guest was last active according to the feature's records; inactive guests are deleted. */
  lastActive: readonly ((tx: Tx, userId: string) => Promise<Date | undefined>)[]
  /** Throws if a user must not be deleted: for what they would lose, unless `insists`; for unfinished work in any case. */
  mayErase: readonly ((tx: Tx, userId: string, insists: boolean) => Promise<void>)[]
  /** Deletes the user's data; what the ledger must keep stays without their name. */
  erase: readonly ((tx: Tx, userId: string, now: Date) => Promise<void>)[]
  /** Returns all stored data of a user, by name, ready to be written as JSON; a list that may be long is read page by page (`Pages`). */
  export: readonly ((db: Db, userId: string) => Promise<Record<string, unknown>>)[]
}

/** Runs the hooks for a guest who becomes a member: some guests' rows were only inserted now. */
export async function welcomeNewcomer(
  { keep, register }: Pick<LifecycleHooks, 'keep' | 'register'>,
  tx: Tx,
  newcomer: Newcomer,
): Promise<void> {
  for (const runHook of keep) await runHook(tx, newcomer.id, newcomer.adIds)
  for (const runHook of register) await runHook(tx, newcomer)
}

/** Joins the hooks of several features, in the given order. */
export function joinLifecycleHooks(features: readonly Partial<LifecycleHooks>[]): LifecycleHooks {
  const all = <Hook>(pick: (hooks: Partial<LifecycleHooks>) => readonly Hook[] | undefined) =>
    features.flatMap((hooks) => pick(hooks) ?? [])
  return {
    keep: all((hooks) => hooks.keep),
    register: all((hooks) => hooks.register),
    consent: all((hooks) => hooks.consent),
    merge: all((hooks) => hooks.merge),
    signIn: all((hooks) => hooks.signIn),
    lastActive: all((hooks) => hooks.lastActive),
    mayErase: all((hooks) => hooks.mayErase),
    erase: all((hooks) => hooks.erase),
    export: all((hooks) => hooks.export),
  }
}
