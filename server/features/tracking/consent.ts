import type { Db, Tx } from '#server/tables.ts'

/** Whether people agreed to marketing, by id: null where one has not answered, missing where one has no row. */
export type Consents = ReadonlyMap<string, boolean | null>

/** Asks it of these people. Members know; server/context.ts joins the two. */
export type ConsentsOf = (db: Db, userIds: readonly string[]) => Promise<Consents>

/**
 * Asks whether a person agrees to marketing, and holds off until the transaction is over whoever would forget what is written with
 * that: an answer that is only read may be taken back before. Members know, too.
 */
export type HoldAgreement = (tx: Tx, userId: string) => Promise<boolean>

/** The same of many, without a wait: gives those who agree, but nobody whose answer may be changing at this moment. */
export type HoldAgreements = (tx: Tx, userIds: readonly string[]) => Promise<ReadonlySet<string>>

/** Whether one person agreed to marketing; no answer is no. */
export async function hasConsent(consentsOf: ConsentsOf, db: Db, userId: string): Promise<boolean> {
  return (await consentsOf(db, [userId])).get(userId) ?? false
}
