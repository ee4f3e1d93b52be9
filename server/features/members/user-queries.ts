import { sql, type Updateable } from 'kysely'
import { newId } from '#server/platform/ids.ts'
import { preparedLookup, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { UsersTable } from './tables.ts'

/** Generates the code in a member's referral links. */
export const newReferralCode = () => newId('usr').slice(4, 14)

/**
 * Inserts the user's row if it does not exist.
 * @returns whether it was inserted
 */
export async function insertUser(
  tx: Tx,
  user: { id: string; language: string; time_zone?: string | null; created_at: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('users')
    .values({ ...user, referral_code: newReferralCode(), email: null, display_name: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

const userById = preparedLookup((db: Db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom('users').selectAll().where('id', '=', id),
)
export type UserRow = Awaited<ReturnType<typeof userById>>[number]

export async function selectUser(db: Db, id: string): Promise<UserRow | undefined> {
  return (await userById(db, { id }))[0]
}

/** Returns the account with this e-mail address, ignoring case. */
export function selectUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where((on) => on(on.fn('lower', ['email']), '=', on.fn('lower', [on.val(email)])))
    .executeTakeFirst()
}

/** The columns that determine whether a guest's token is still valid; see `isGuest`. */
const guestStatusColumns = ['member_since', 'merged_into', 'deleted_at'] as const
const guestStatusAndTimeZone = [...guestStatusColumns, 'time_zone'] as const

const guestStatusById = preparedLookup((db: Db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom('users').select(guestStatusColumns).where('id', '=', id),
)

export async function selectGuestStatus(db: Db, id: string) {
  return (await guestStatusById(db, { id }))[0]
}

/** Selects the status and time zone of a guest or member, and locks the row against merging and deletion. */
export function lockGuestStatus(tx: Tx, id: string) {
  return tx
    .selectFrom('users')
    .select(guestStatusAndTimeZone)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
}

/** Locks rows against every other change, in the order of their ids. */
export function lockUsers(tx: Tx, ids: readonly string[]): Promise<UserRow[]> {
  return tx.selectFrom('users').selectAll().where('id', 'in', ids).orderBy('id').forUpdate().execute()
}

export async function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return (await lockUsers(tx, [id]))[0]
}

/** Changes the given fields. Fields that are undefined are left unchanged. */
export async function updateUser(tx: Tx, id: string, change: Updateable<UsersTable>): Promise<void> {
  if (Object.values(change).every((value) => value === undefined)) return
  await tx.updateTable('users').set(change).where('id', '=', id).execute()
}

/** Stores the time zone of the browser that a user uses now. */
export async function updateTimeZone(tx: Tx, id: string, timeZone: string | undefined): Promise<void> {
  if (timeZone === undefined) return
  await tx
    .updateTable('users')
    .set({ time_zone: timeZone })
    .where('id', '=', id)
    .where('time_zone', 'is distinct from', timeZone)
    .execute()
}

export async function markMember(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set({ member_since: now })
    .where('id', '=', id)
    .where('member_since', 'is', null)
    .execute()
}

/** Returns whether a change failed because another account has this address. */
export function isEmailTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'users_email'
}

/**
 * Locks guests who may have been inactive since the time `before`, those with the oldest known activity first.
 * @returns their ids
 */
export async function lockIdleGuests(tx: Tx, before: Date, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where('member_since', 'is', null)
    .where('merged_into', 'is', null)
    .where('deleted_at', 'is', null)
    .where((on) => on(on.fn.coalesce('last_active_at', 'created_at'), '<', before))
    .orderBy((on) => on.fn.coalesce('last_active_at', 'created_at'))
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes the row of a user without records in other features. */
export async function deleteUserRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

/** Marks the guests that were merged into an account as deleted, together with the account. */
export async function markMergedGuestsDeleted(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('users').set({ deleted_at: now }).where('merged_into', '=', id).execute()
}

export interface AuditEventRow {
  id: string
  at: Date
  event: string
  details: object
}

/**
 * Returns a page of a user's audit events, including those of guests merged into the user. Omits the network's hash,
 * which is meaningful only to the site.
 */
export async function selectAuditEventsOfUser(
  db: Db,
  userId: string,
  after: AuditEventRow | undefined,
  limit: number,
): Promise<AuditEventRow[]> {
  const { rows } = await sql<AuditEventRow>`
    SELECT page.id, at, event, details FROM users, LATERAL (
      SELECT id, at, event, details FROM audit_events WHERE user_id = users.id AND id > ${after?.id ?? '0'}
      ORDER BY id LIMIT ${limit}
    ) AS page
    WHERE users.id = ${userId} OR users.merged_into = ${userId}
    ORDER BY page.id LIMIT ${limit}`.execute(db)
  return rows
}
