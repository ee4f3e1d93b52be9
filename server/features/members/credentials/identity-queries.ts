import { deleteExpired, type PurgeOptions } from '#server/platform/database/delete-expired.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { SocialIdentitiesTable } from './identity-tables.ts'

/** Returns the id of an identity and its owner. */
export function selectIdentityOwner(
  db: Db,
  { issuer, subject }: Pick<SocialIdentitiesTable, 'issuer' | 'subject'>,
) {
  return db
    .selectFrom('social_identities')
    .select(['id', 'user_id'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

/**
 * Links an identity to an account.
 * @returns false if the identity is already linked to an account
 */
export async function insertIdentity(tx: Tx, identity: SocialIdentitiesTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('social_identities')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export function selectIdentities(db: Db, userId: string) {
  return db
    .selectFrom('social_identities')
    .select(['id', 'provider', 'account_name', 'issuer', 'subject', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('subject')
    .execute()
}

/** Returns whether an identity belongs to a user. */
export async function hasIdentity(db: Db, userId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('social_identities')
    .select('id')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteIdentity(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('social_identities').where('id', '=', id).execute()
}

export async function deleteIdentities(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('social_identities').where('user_id', '=', userId).execute()
}

/**
 * Marks the `state` of an OAuth flow as used, so that no process accepts it again.
 * @returns false if the state was already used
 */
export async function useState(db: Db, state: string, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('used_oauth_states')
    .values({ state, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('state').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export function deleteExpiredStates(db: Db, now: Date, options: PurgeOptions): Promise<void> {
  return deleteExpired(db, { table: 'used_oauth_states', time: 'expires_at', before: now }, options)
}
