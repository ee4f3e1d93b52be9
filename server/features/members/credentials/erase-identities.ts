import type { Db, Tx } from '#server/tables.ts'
import { deleteIdentities, selectIdentities } from './identity-queries.ts'

/** Unlinks a deleted user's identities, so that a later sign-in with one of them creates a new account. */
export function eraseIdentities(tx: Tx, userId: string): Promise<void> {
  return deleteIdentities(tx, userId)
}

export async function exportIdentities(db: Db, userId: string): Promise<Record<string, unknown>> {
  return { identities: await selectIdentities(db, userId) }
}
