import type { Db, Tx } from '#server/tables.ts'

/** Users' answers about marketing, by id: null without an answer, missing without a row. */
export type Consents = ReadonlyMap<string, boolean | null>

/** Loads the answers of these users. Implemented by members/feature.ts. */
export type LoadConsents = (db: Db, userIds: readonly string[]) => Promise<Consents>

/**
 * Returns whether a user consents to marketing, and blocks a withdrawal until the end of the transaction. So the withdrawal deletes
 * everything that was written with the consent. Implemented by members/feature.ts.
 */
export type LockConsent = (tx: Tx, userId: string) => Promise<boolean>

/** The same for many users, without waiting: returns those who consent, excluding users whose answer may be changing. */
export type LockConsents = (tx: Tx, userIds: readonly string[]) => Promise<ReadonlySet<string>>

/** Returns whether a user consented to marketing; no answer counts as no. */
export async function hasConsent(loadConsents: LoadConsents, db: Db, userId: string): Promise<boolean> {
  return (await loadConsents(db, [userId])).get(userId) ?? false
}
