import type { Db, Tx } from '#server/tables.ts'
import { deleteLinks } from './link-queries.ts'
import { selectFactor } from './second-factor-queries.ts'
import { removeSecondFactor } from './second-factor.ts'

/** A person leaves: their links are worth nothing, their second factor goes. */
export async function eraseCredentials(tx: Tx, userId: string): Promise<void> {
  await deleteLinks(tx, userId)
  await removeSecondFactor(tx, userId)
}

/** Since when there is a second factor; its secret stays here. */
export async function exportCredentials(db: Db, userId: string): Promise<Record<string, unknown>> {
  const factor = await selectFactor(db, userId)
  return { second_factor: factor?.confirmed_at ? { since: factor.confirmed_at } : null }
}
