import type { Db } from '#server/tables.ts'

/** Whether people agreed to marketing, by id: null where one has not answered, missing where one has no row. */
export type Consents = ReadonlyMap<string, boolean | null>

/** Asks it of these people. Members know; server/context.ts joins the two. */
export type ConsentsOf = (db: Db, userIds: readonly string[]) => Promise<Consents>

/** Whether one person agreed to marketing; no answer is no. */
export async function hasConsent(consentsOf: ConsentsOf, db: Db, userId: string): Promise<boolean> {
  return (await consentsOf(db, [userId])).get(userId) ?? false
}
