import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { Touch } from './tables.ts'

const clickIds = sql`ARRAY['fbclid', 'ttclid']`

export function selectAttribution(db: Db, userId: string) {
  return db.selectFrom('attribution').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

/**
 * Stores a touch as the last touch, and as the first touch if there is none. If the first touch is this touch without
 * its click ids, which was stored before the user consented, adds the click ids.
 */
export async function upsertTouch(tx: Tx, userId: string, touch: Touch, at: Date): Promise<void> {
  const value = JSON.stringify(touch)
  await sql`
    INSERT INTO attribution AS existing (user_id, first_touch, first_at, last_touch, last_at)
    VALUES (${userId}, ${value}::jsonb, ${at}, ${value}::jsonb, ${at})
    ON CONFLICT (user_id) DO UPDATE SET
      first_touch = CASE WHEN existing.first_touch = excluded.last_touch - ${clickIds}
        THEN excluded.last_touch ELSE existing.first_touch END,
      last_touch = excluded.last_touch,
      last_at = excluded.last_at
    WHERE existing.last_touch <> excluded.last_touch AND existing.last_at <= excluded.last_at`.execute(tx)
}

/**
 * Moves a guest's touches to a member. Of the two first touches, the earlier one remains. Of the two last touches, the
 * later one remains.
 */
export async function moveAttribution(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await sql`
    WITH guest AS (
      DELETE FROM attribution WHERE user_id = ${guestId} RETURNING *
    )
    INSERT INTO attribution AS existing (user_id, first_touch, first_at, last_touch, last_at)
    SELECT ${memberId}, first_touch, first_at, last_touch, last_at FROM guest
    ON CONFLICT (user_id) DO UPDATE SET
      first_touch = CASE WHEN excluded.first_at < existing.first_at THEN excluded.first_touch ELSE existing.first_touch END,
      first_at = least(excluded.first_at, existing.first_at),
      last_touch = CASE WHEN excluded.last_at > existing.last_at THEN excluded.last_touch ELSE existing.last_touch END,
      last_at = greatest(excluded.last_at, existing.last_at)`.execute(tx)
}

/** Deletes the click ids from a user's touches. If no other data remains, deletes the whole row. */
export async function deleteClickIds(tx: Tx, userId: string): Promise<void> {
  await sql`
    UPDATE attribution SET first_touch = first_touch - ${clickIds}, last_touch = last_touch - ${clickIds}
    WHERE user_id = ${userId}`.execute(tx)
  await sql`
    DELETE FROM attribution
    WHERE user_id = ${userId} AND first_touch = '{}'::jsonb AND last_touch = '{}'::jsonb`.execute(tx)
}

export async function deleteAttribution(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('attribution').where('user_id', '=', userId).execute()
}
