import { sql, type Insertable } from 'kysely'
import { preparedLookup, preparedQuery, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { SessionsTable } from '#server/features/members/tables.ts'

export async function insertSession(tx: Tx, session: Insertable<SessionsTable>): Promise<void> {
  await tx.insertInto('sessions').values(session).execute()
}

const sessionBy = (column: 'id' | 'token_hash') =>
  preparedLookup(
    (
      db: Db,
      {
        key,
        seenAfter,
        createdAfter,
      }: Placeholders<{ key: string | Buffer; seenAfter: Date; createdAfter: Date }>,
    ) =>
      db
        .selectFrom('sessions')
        .select(['id', 'user_id', 'last_seen_at'])
        .where(sql.ref(column), '=', key)
        .where('last_seen_at', '>', seenAfter)
        .where('created_at', '>', createdAfter),
  )
const sessionById = sessionBy('id')
const sessionByHash = sessionBy('token_hash')

/** Returns the session with a token's hash, or with an id, unless it has expired. */
export async function selectSession(
  db: Db,
  by: { tokenHash: Buffer } | { id: string },
  bounds: { seenAfter: Date; createdAfter: Date },
) {
  const [session] = await ('id' in by
    ? sessionById(db, { key: by.id, ...bounds })
    : sessionByHash(db, { key: by.tokenHash, ...bounds }))
  return session
}

export async function touchSession(db: Db, id: string, before: Date, now: Date): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ last_seen_at: now })
    .where('id', '=', id)
    .where('last_seen_at', '<', before)
    .execute()
}

interface SessionFilter {
  userId: string
  seenAfter: Date
  createdAfter: Date
  limit: number
}

/** Returns a user's active sessions, the latest first. */
export const selectSessions = preparedQuery((db: Db, filter: Placeholders<SessionFilter>) =>
  db
    .selectFrom('sessions')
    .select(['id', 'user_agent', 'created_at', 'last_seen_at'])
    .where('user_id', '=', filter.userId)
    .where('last_seen_at', '>', filter.seenAfter)
    .where('created_at', '>', filter.createdAfter)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .limit(filter.limit),
)

/**
 * Deletes a user's sessions: one of them, all but one, or all.
 * @returns how many were deleted
 */
export async function deleteSessions(
  tx: Tx,
  userId: string,
  filter: { id?: string; except?: string },
): Promise<number> {
  let statement = tx.deleteFrom('sessions').where('user_id', '=', userId)
  if (filter.id !== undefined) statement = statement.where('id', '=', filter.id)
  if (filter.except !== undefined) statement = statement.where('id', '!=', filter.except)
  return Number((await statement.executeTakeFirst()).numDeletedRows)
}

/**
 * Locks a session against deletion.
 * @returns whether the session exists
 */
export async function lockSession(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes the oldest sessions of a user beyond a maximum. */
export async function deleteOldestSessions(tx: Tx, userId: string, keepCount: number): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('id', 'in', (sessions) =>
      sessions
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .offset(keepCount),
    )
    .execute()
}

/** Returns when a session started. For a member without a password, a recent sign-in proves the identity. */
export async function selectSessionStart(db: Db, id: string): Promise<Date | undefined> {
  const row = await db.selectFrom('sessions').select('created_at').where('id', '=', id).executeTakeFirst()
  return row?.created_at
}

/**
 * Deletes a batch of the sessions whose time is not after `until`, the oldest first. An index finds them. Skips sessions
 * that another transaction has locked.
 * @returns how many were deleted
 */
export async function deleteSessionsUntil(
  db: Db,
  time: 'last_seen_at' | 'created_at',
  until: Date,
  limit: number,
): Promise<number> {
  const result = await db
    .deleteFrom('sessions')
    .where('id', 'in', (sessions) =>
      sessions
        .selectFrom('sessions')
        .select('id')
        .where(time, '<=', until)
        .orderBy(time)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
