import type { AdClickIds } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'

/** A new member, and the data that the member's browser sent. */
export interface NewMember {
  id: string
  email: string | undefined
  userAgent: string
  adIds: AdClickIds
}

export interface StartedSession {
  userId: string
  sessionId: string
  /** The session in the same browser that the new session replaces. */
  formerSessionId: string | undefined
}

/**
 * Account lifecycle hooks. Each feature provides hooks in its `feature.ts` that handle the feature's own records of a
 * user. Except for `export`, the hooks run in the transaction of the event.
 */
export interface LifecycleHooks {
  /**
   * Called when a guest gets a row because something is stored. The ids identify
   * the referrer and the ad that brought the guest.
   */
  storeGuest: readonly ((tx: Tx, userId: string, ids: AdClickIds) => Promise<void>)[]
  /** Called when a guest has become a member by registering. */
  register: readonly ((tx: Tx, member: NewMember) => Promise<void>)[]
  /** Called after a user's answer to the marketing consent was stored. */
  consent: readonly ((tx: Tx, userId: string, marketing: boolean, ids: AdClickIds) => Promise<void>)[]
  /**
   * Called when a member signs in with a guest's records. All records of `guestId` must move to `memberId`. Must be
   * idempotent.
   */
  merge: readonly ((tx: Tx, guestId: string, memberId: string) => Promise<void>)[]
  /** Called when a session of a member starts. The caller's former session, if any, ends only after the hook. */
  signIn: readonly ((tx: Tx, session: StartedSession) => Promise<void>)[]
  /** Returns when a guest was last active according to the feature's records. Inactive guests are deleted. */
  lastActive: readonly ((tx: Tx, userId: string) => Promise<Date | undefined>)[]
  /**
   * Throws if a user must not be deleted. This is so while work is unfinished, or if the user would lose something and
   * `insists` is false.
   */
  assertErasable: readonly ((tx: Tx, userId: string, insists: boolean) => Promise<void>)[]
  /** Deletes the user's data. Records that the ledger needs remain, without personal data. */
  erase: readonly ((tx: Tx, userId: string, now: Date) => Promise<void>)[]
  /**
   * Returns all stored data of a user by name, to be written as JSON. A list that may be long is read page by page
   * (`Pages`).
   */
  export: readonly ((db: Db, userId: string) => Promise<Record<string, unknown>>)[]
}

/**
 * Runs the hooks for a guest who becomes a member. Runs `storeGuest` too, because the row may have been inserted in
 * this call.
 */
export async function runRegistrationHooks(
  { storeGuest, register }: Pick<LifecycleHooks, 'storeGuest' | 'register'>,
  tx: Tx,
  newMember: NewMember,
): Promise<void> {
  for (const runHook of storeGuest) await runHook(tx, newMember.id, newMember.adIds)
  for (const runHook of register) await runHook(tx, newMember)
}

/** Joins the hooks of several features, in the given order. */
export function mergeLifecycleHooks(features: readonly Partial<LifecycleHooks>[]): LifecycleHooks {
  const all = <Hook>(pick: (hooks: Partial<LifecycleHooks>) => readonly Hook[] | undefined) =>
    features.flatMap((hooks) => pick(hooks) ?? [])
  return {
    storeGuest: all((hooks) => hooks.storeGuest),
    register: all((hooks) => hooks.register),
    consent: all((hooks) => hooks.consent),
    merge: all((hooks) => hooks.merge),
    signIn: all((hooks) => hooks.signIn),
    lastActive: all((hooks) => hooks.lastActive),
    assertErasable: all((hooks) => hooks.assertErasable),
    erase: all((hooks) => hooks.erase),
    export: all((hooks) => hooks.export),
  }
}
