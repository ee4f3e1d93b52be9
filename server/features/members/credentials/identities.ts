import type { Db, Tx } from '#server/tables.ts'
import { deleteIdentities, selectIdentities } from './identity-queries.ts'

/** Whoever comes back with an identity of a person who left is somebody new. */
export function eraseIdentities(tx: Tx, userId: string): Promise<void> {
  return deleteIdentities(tx, userId)
}

export async function exportIdentities(db: Db, userId: string): Promise<Record<string, unknown>> {
  return { identities: await selectIdentities(db, userId) }
}
