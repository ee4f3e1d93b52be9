import { sql, type Insertable, type Updateable } from 'kysely'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { OperatorInvitationsTable, OperatorsTable } from '#server/features/studio/tables.ts'

/** Returns the operator with an e-mail address, ignoring case. */
export function selectOperatorByEmail(db: Db, email: string) {
  return db
    .selectFrom('operators')
    .selectAll()
    .where(sql`lower(email)`, '=', emailLookupKey(email))
    .executeTakeFirst()
}

export function lockOperator(tx: Tx, id: string) {
  return tx.selectFrom('operators').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/**
 * Locks the owners, ordered by id. Callers lock them before any other row. So two concurrent changes cannot deadlock,
 * and cannot each remove one of the last two owners.
 */
export function lockOwners(tx: Tx) {
  return tx
    .selectFrom('operators')
    .select(['id', 'active_since'])
    .where('role', '=', 'owner')
    .orderBy('id')
    .forUpdate()
    .execute()
}

/**
 * Inserts an operator.
 * @returns false if an operator with this address exists
 */
export async function insertOperator(tx: Tx, operator: Insertable<OperatorsTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('operators')
    .values(operator)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function updateOperator(tx: Tx, id: string, changes: Updateable<OperatorsTable>): Promise<void> {
  await tx.updateTable('operators').set(changes).where('id', '=', id).execute()
}

/** Deletes an operator. Foreign keys delete the sessions, invitation and recovery codes. */
export async function deleteOperator(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('operators').where('id', '=', id).execute()
}

/** Returns all operators with the time of their last visit. The list has no pages, because a site has few operators. */
export function selectOperators(db: Db) {
  return db
    .selectFrom('operators')
    .select(['id', 'email', 'role', 'active_since', 'last_seen_at'])
    .orderBy('created_at')
    .limit(1000)
    .execute()
}

/** Stores the time of an operator's last visit, which remains when the session ends. */
export async function updateLastSeen(db: Db, id: string, now: Date): Promise<void> {
  await db.updateTable('operators').set({ last_seen_at: now }).where('id', '=', id).execute()
}

export async function upsertInvitation(
  tx: Tx,
  invitation: Insertable<OperatorInvitationsTable>,
): Promise<void> {
  await tx
    .insertInto('operator_invitations')
    .values(invitation)
    .onConflict((conflict) => conflict.column('operator_id').doUpdateSet(invitation))
    .execute()
}

/** Returns the operator and the authenticator secret of an unexpired invitation. */
export function selectInvitation(db: Db, secretHash: Buffer, now: Date) {
  return db
    .selectFrom('operator_invitations as invitation')
    .innerJoin('operators', 'operators.id', 'invitation.operator_id')
    .select(['operators.id', 'operators.email', 'operators.role', 'invitation.encrypted_totp_secret'])
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

export async function storeInvitationSecret(
  db: Db,
  operatorId: string,
  encrypted_totp_secret: Buffer,
): Promise<void> {
  await db
    .updateTable('operator_invitations')
    .set({ encrypted_totp_secret })
    .where('operator_id', '=', operatorId)
    .execute()
}

export async function deleteInvitation(tx: Tx, operatorId: string): Promise<void> {
  await tx.deleteFrom('operator_invitations').where('operator_id', '=', operatorId).execute()
}

/**
 * Marks an authenticator code's time step as used, with all earlier steps.
 * @returns false if another call has already used it
 */
export async function useTimeStep(tx: Tx, id: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('operators')
    .set({ last_totp_step: step })
    .where('id', '=', id)
    .where('last_totp_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Replaces an operator's recovery codes. An empty array deletes all of them. */
export async function replaceRecoveryCodes(
  tx: Tx,
  operatorId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.deleteFrom('operator_recovery_codes').where('operator_id', '=', operatorId).execute()
  if (hashes.length === 0) return
  await tx
    .insertInto('operator_recovery_codes')
    .values(hashes.map((hash) => ({ operator_id: operatorId, hash })))
    .execute()
}

/**
 * Deletes a recovery code that is being used.
 * @returns false if the code does not exist
 */
export async function useRecoveryCode(tx: Tx, operatorId: string, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('operator_recovery_codes')
    .where('operator_id', '=', operatorId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Returns whether there is at least one operator, including invited operators. */
export async function hasOperators(db: Db): Promise<boolean> {
  return (await db.selectFrom('operators').select('id').limit(1).executeTakeFirst()) !== undefined
}
