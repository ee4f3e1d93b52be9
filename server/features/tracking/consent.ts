import type { Db, Tx } from '#server/tables.ts'

/**
 * The users' answers to the consent question about marketing, by id. Null means no answer. Users without a row are
 * missing.
 */
export type Consents = ReadonlyMap<string, boolean | null>

/** Loads the answers of these users. members/feature.ts implements it. */
export type LoadConsents = (db: Db, userIds: readonly string[]) => Promise<Consents>

/**
 * Returns whether a user consents to marketing, and blocks a withdrawal until the end of the transaction. So a later
 * withdrawal deletes all data that this transaction stores. members/feature.ts implements it.
 */
export type LockConsent = (tx: Tx, userId: string) => Promise<boolean>

/**
 * Checks many users like `LockConsent`, but without waiting for locks. Returns the users who consent, except those
 * whose answer is being changed.
 */
export type LockConsents = (tx: Tx, userIds: readonly string[]) => Promise<ReadonlySet<string>>

/** Returns whether a user consented to marketing. No answer counts as no. */
export async function hasConsent(loadConsents: LoadConsents, db: Db, userId: string): Promise<boolean> {
  return (await loadConsents(db, [userId])).get(userId) ?? false
}
