import { sql, type Insertable, type Updateable } from 'kysely'
import { foldEmail } from '#server/platform/email-address.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { OperatorInvitationsTable, OperatorsTable } from '#server/features/studio/tables.ts'

/** An operator by the address, compared without case; locked where asked in a transaction that changes them. */
export function selectOperatorByEmail(db: Db, email: string) {
  return db
    .selectFrom('operators')
    .selectAll()
    .where(sql`lower(email)`, '=', foldEmail(email))
    .executeTakeFirst()
}

export function lockOperator(tx: Tx, id: string) {
  return tx.selectFrom('operators').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Locks the owners, in one order and before anybody else's row, so that two changes at once neither wait for each other in a circle nor leave the site without one. */
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

/** @returns false if the address is an operator's already */
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

/** Sessions, invitation and recovery codes go with it. */
export async function deleteOperator(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('operators').where('id', '=', id).execute()
}

/** All of them, with when each was last seen. They are few, as those who work at one place are. */
export function selectOperators(db: Db) {
  return db
    .selectFrom('operators')
    .select(['id', 'email', 'role', 'active_since', 'last_seen_at'])
    .orderBy('created_at')
    .limit(1000)
    .execute()
}

/** Keeps when an operator was here, also once the session has ended. */
export async function markSeen(db: Db, id: string, now: Date): Promise<void> {
  await db.updateTable('operators').set({ last_seen_at: now }).where('id', '=', id).execute()
}

export async function putInvitation(tx: Tx, invitation: Insertable<OperatorInvitationsTable>): Promise<void> {
  await tx
    .insertInto('operator_invitations')
    .values(invitation)
    .onConflict((conflict) => conflict.column('operator_id').doUpdateSet(invitation))
    .execute()
}

/** The invitation of a secret that is good still, with whom it is for. */
export function selectInvitation(db: Db, secretHash: Buffer, now: Date) {
  return db
    .selectFrom('operator_invitations as invitation')
    .innerJoin('operators', 'operators.id', 'invitation.operator_id')
    .select(['operators.id', 'operators.email', 'operators.role', 'invitation.encrypted_totp_secret'])
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

export async function keepInvitedSecret(
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

/** Uses a time step and those before it up. @returns false where another call was first */
export async function useStep(tx: Tx, id: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('operators')
    .set({ last_step: step })
    .where('id', '=', id)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Replaces the recovery codes by new ones. */
export async function putRecoveryCodes(tx: Tx, operatorId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom('operator_recovery_codes').where('operator_id', '=', operatorId).execute()
  if (hashes.length === 0) return
  await tx
    .insertInto('operator_recovery_codes')
    .values(hashes.map((hash) => ({ operator_id: operatorId, hash })))
    .execute()
}

/** @returns whether there was such a code, which is gone now */
export async function useRecoveryCode(tx: Tx, operatorId: string, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('operator_recovery_codes')
    .where('operator_id', '=', operatorId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Whether anybody works here yet, be it somebody who has not used their link. */
export async function hasOperators(db: Db): Promise<boolean> {
  return (await db.selectFrom('operators').select('id').limit(1).executeTakeFirst()) !== undefined
}
