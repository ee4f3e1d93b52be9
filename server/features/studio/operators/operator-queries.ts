import { sql, type Insertable, type Updateable } from 'kysely'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { OperatorInvitationsTable, OperatorsTable } from '#server/features/studio/tables.ts'

/** Selects an operator by e-mail address, ignoring case; locks the row if requested. */
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
 * Locks the owners in a fixed order and before any other row, so that two concurrent changes neither deadlock nor leave the site
 * without an owner.
 */
export function lockOwners(tx: Tx) {
  return tx
    .selectFrom('operators')
    .select(['id'])
    .where('role', '=', 'owner')
    .where('active_since', 'is not', null)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** @returns false if an operator with this address exists */
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

/** Deletes an operator; sessions, invitation and recovery codes are deleted with it. */
export async function deleteOperator(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('operators').where('id', '=', id).execute()
}

/** Selects all operators, with the time of their last visit. They are few: the staff of one company. */
export function selectOperators(db: Db) {
  return db
    .selectFrom('operators')
    .select(['id', 'email', 'role', 'active_since', 'last_seen_at'])
    .orderBy('created_at')
    .limit(1000)
    .execute()
}

/** Stores an operator's last visit, which outlives the session. */
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

/** Selects the valid invitation of a secret, with its operator. */
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

/** Uses up a time step and all earlier ones. @returns false if another call was first */
export async function useTimeStep(tx: Tx, id: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('operators')
    .set({ last_totp_step: step })
    .where('id', '=', id)
    .where('last_totp_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Replaces the recovery codes with new ones. */
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

/** @returns whether the code existed; it is deleted now */
export async function useRecoveryCode(tx: Tx, operatorId: string, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('operator_recovery_codes')
    .where('operator_id', '=', operatorId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Returns whether there is any operator, including invited ones. */
export async function hasOperators(db: Db): Promise<boolean> {
  return (await db.selectFrom('operators').select('id').limit(1).executeTakeFirst()) !== undefined
}
