import type { Insertable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { OperatorSessionsTable } from '#server/features/studio/tables.ts'

export async function insertSession(tx: Tx, session: Insertable<OperatorSessionsTable>): Promise<void> {
  await tx.insertInto('operator_sessions').values(session).execute()
}

/** Returns an active session and its operator, by the hash of the cookie's token. */
export function selectSession(db: Db, tokenHash: Buffer, bounds: { seenAfter: Date; createdAfter: Date }) {
  return db
    .selectFrom('operator_sessions as session')
    .innerJoin('operators as operator', 'operator.id', 'session.operator_id')
    .select([
      'session.id as session_id',
      'session.last_seen_at',
      'operator.id',
      'operator.email',
      'operator.role',
    ])
    .where('session.token_hash', '=', tokenHash)
    .where('session.last_seen_at', '>', bounds.seenAfter)
    .where('session.created_at', '>', bounds.createdAfter)
    .executeTakeFirst()
}

/**
 * Updates `last_seen_at` if it is earlier than `before`.
 * @returns false if another call has updated it
 */
export async function touchSession(db: Db, id: string, before: Date, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('operator_sessions')
    .set({ last_seen_at: now })
    .where('id', '=', id)
    .where('last_seen_at', '<', before)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Deletes one session of an operator, or all of them if `id` is missing.
 * @returns the number of deleted sessions
 */
export async function deleteSessions(db: Db, operatorId: string, id?: string): Promise<number> {
  const all = db.deleteFrom('operator_sessions').where('operator_id', '=', operatorId)
  const { numDeletedRows } = await (id === undefined ? all : all.where('id', '=', id)).executeTakeFirst()
  return Number(numDeletedRows)
}

export async function deleteExpiredSessions(db: Db, seenBefore: Date, createdBefore: Date): Promise<void> {
  await db
    .deleteFrom('operator_sessions')
    .where((on) => on.or([on('last_seen_at', '<=', seenBefore), on('created_at', '<=', createdBefore)]))
    .execute()
}
