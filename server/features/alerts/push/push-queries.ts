import { sql, type Insertable, type RawBuilder } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import type { CoverColumns } from '#server/features/catalog/catalog.ts'
import type { PushSubscriptionsTable } from '#server/features/alerts/tables.ts'
import type { AlertBatch } from '#server/features/alerts/queries.ts'
import type { StartedSession } from '#server/features/members/members.ts'
import type { Db, Tx } from '#server/tables.ts'

export async function isSubscribed(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom('push_subscriptions').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

/**
 * Inserts or updates the subscription of a user's browser. If it belonged to another user, that user's queued pushes
 * are deleted.
 */
export async function saveSubscription(tx: Tx, row: Insertable<PushSubscriptionsTable>): Promise<void> {
  const { id, ...rest } = row
  await tx.deleteFrom('push_subscriptions').where('id', '=', id).where('user_id', '<>', row.user_id).execute()
  await tx
    .insertInto('push_subscriptions')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
    .execute()
}

/** Deletes a user's oldest subscriptions. The `limit` latest remain. */
export async function deleteOlderSubscriptions(tx: Tx, userId: string, limit: number): Promise<void> {
  const older = tx
    .selectFrom('push_subscriptions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(limit)
  await tx.deleteFrom('push_subscriptions').where('id', 'in', older).execute()
}

export async function moveSubscriptions(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('push_subscriptions').set({ user_id: to }).where('user_id', '=', from).execute()
}

/**
 * Binds a member's subscriptions to a new session: those without a session, and those of the former session that the
 * new one replaces.
 */
export async function bindSubscriptions(
  tx: Tx,
  { userId, sessionId, formerSessionId = sessionId }: StartedSession,
): Promise<void> {
  await tx
    .updateTable('push_subscriptions')
    .set({ session_id: sessionId })
    .where('user_id', '=', userId)
    .where((on) => on.or([on('session_id', 'is', null), on('session_id', '=', formerSessionId)]))
    .execute()
}

export async function deleteSubscription(db: Db, id: string): Promise<void> {
  await db.deleteFrom('push_subscriptions').where('id', '=', id).execute()
}

export async function deleteSubscriptionsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('push_subscriptions').where('user_id', '=', userId).execute()
}

/** Selects a user's subscriptions, the latest first. */
export function selectSubscriptions(db: Db, userId: string) {
  return db
    .selectFrom('push_subscriptions')
    .select(['id', 'endpoint', 'public_key', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

/**
 * Runs a statement on at most `limit` subscriptions that meet a condition. Skips rows that are being changed.
 * @returns how many subscriptions were changed or deleted
 */
async function changeSome(
  tx: Tx,
  statement: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    ${statement} WHERE id = ANY(ARRAY(
      SELECT id FROM push_subscriptions WHERE ${condition} LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** SQL condition: true if a subscription was made with another public key. Unlike `<>`, it can use the index. */
const hasOtherKey = (publicKey: string) => sql`(public_key < ${publicKey} OR public_key > ${publicKey})`

/** Clears `key_outdated_since` on a batch of subscriptions whose public key is in use again. Returns how many. */
export const clearOutdated = (tx: Tx, publicKey: string, limit: number): Promise<number> =>
  changeSome(
    tx,
    sql`UPDATE push_subscriptions SET key_outdated_since = NULL`,
    sql`public_key = ${publicKey} AND key_outdated_since IS NOT NULL`,
    limit,
  )

/** Sets `key_outdated_since` on a batch of subscriptions made with another public key. Returns how many. */
export const markOutdated = (tx: Tx, publicKey: string, now: Date, limit: number): Promise<number> =>
  changeSome(
    tx,
    sql`UPDATE push_subscriptions SET key_outdated_since = ${now}`,
    sql`${hasOtherKey(publicKey)} AND key_outdated_since IS NULL`,
    limit,
  )

/**
 * Deletes a batch of subscriptions made with another public key whose `key_outdated_since` is earlier than `before`.
 * Returns how many.
 */
export const deleteOutdated = (tx: Tx, publicKey: string, before: Date, limit: number): Promise<number> =>
  changeSome(
    tx,
    sql`DELETE FROM push_subscriptions`,
    sql`${hasOtherKey(publicKey)} AND key_outdated_since < ${before}`,
    limit,
  )

/**
 * Queues a push about a release for these users' browsers. Skips subscriptions made with another public key. If a push
 * about the same video is already queued, adds the release to that push.
 */
export async function queuePushes(
  tx: Tx,
  publicKey: string,
  { video_id, number, count }: AlertBatch,
  userIds: readonly string[],
  { next_attempt_at, expires_at }: { next_attempt_at: Date; expires_at: Date },
): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .insertInto('push_messages')
    .columns(['subscription_id', 'video_id', 'number', 'count', 'next_attempt_at', 'expires_at'])
    .expression((db) =>
      db
        .selectFrom('push_subscriptions')
        .select((row) => [
          'push_subscriptions.id',
          row.val(video_id).as('video_id'),
          row.cast<number>(row.val(number), 'integer').as('number'),
          row.cast<number>(row.val(count), 'integer').as('count'),
          row.cast<Date>(row.val(next_attempt_at), 'timestamptz').as('next_attempt_at'),
          row.cast<Date>(row.val(expires_at), 'timestamptz').as('expires_at'),
        ])
        .where('user_id', 'in', userIds)
        .where('public_key', '=', publicKey),
    )
    .onConflict((conflict) =>
      conflict.columns(['subscription_id', 'video_id']).doUpdateSet({
        number: sql<number>`least(push_messages.number, excluded.number)`,
        count: sql<number>`push_messages.count + excluded.count`,
        attempts: 0,
        next_attempt_at,
        expires_at,
      }),
    )
    .execute()
}

/** SQL condition: true if a push is due at `$1`. */
export const anyDuePushes = 'EXISTS (SELECT FROM push_messages WHERE next_attempt_at <= $1)'

/** A due push message, with all data of its notification. */
export interface DuePush extends CoverColumns {
  subscription_id: string
  video_id: string
  number: number
  count: number
  /** Number of attempts, including the current one. */
  attempts: number
  /**
   * Expiry of the claim. Until then, no other process claims the push. Expiry and `attempts` together identify this
   * claim.
   */
  next_attempt_at: Date
  expires_at: Date
  endpoint: string
  p256dh: string
  auth: string
  language: string | null
  titles: LocalizedText
  /** True if the video is still published and is still a favorite of the user. */
  is_wanted: boolean
}

/**
 * Claims due pushes until `until`, so that no other process sends them. Pushes with the fewest attempts are first. A
 * push whose subscription was made with another public key is claimed only after it has expired. The caller then
 * deletes it.
 */
export async function claimPushes(
  db: Db,
  publicKey: string,
  now: Date,
  until: Date,
  limit: number,
): Promise<DuePush[]> {
  const { rows } = await sql<DuePush>`
    WITH due AS (
      SELECT subscription_id, video_id FROM push_messages AS message
      WHERE next_attempt_at <= ${now} AND (expires_at <= ${now} OR (
        SELECT public_key FROM push_subscriptions WHERE id = message.subscription_id) = ${publicKey})
      ORDER BY attempts, next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE push_messages AS message SET attempts = message.attempts + 1, next_attempt_at = ${until}
      FROM due WHERE message.subscription_id = due.subscription_id AND message.video_id = due.video_id
      RETURNING message.*
    )
    SELECT taken.subscription_id, taken.video_id, taken.number, taken.count, taken.attempts, taken.next_attempt_at, taken.expires_at,
      browser.endpoint, browser.p256dh, browser.auth, users.language,
      videos.titles, videos.state = 'published' AND favorites.user_id IS NOT NULL AS is_wanted,
      videos.cover_path, videos.cover_color, videos.language_covers
    FROM taken
    JOIN push_subscriptions AS browser ON browser.id = taken.subscription_id
    JOIN users ON users.id = browser.user_id
    JOIN videos ON videos.id = taken.video_id
    LEFT JOIN favorites ON favorites.user_id = browser.user_id AND favorites.video_id = taken.video_id`.execute(
    db,
  )
  return rows
}

type PushClaim = Pick<DuePush, 'subscription_id' | 'video_id' | 'attempts' | 'next_attempt_at'>

/**
 * SQL condition for the row of a claim. It matches no row if a newer release was added to the push, or another process
 * has claimed the push.
 */
const isClaimedRow = ({ subscription_id, video_id, attempts, next_attempt_at }: PushClaim) =>
  sql<boolean>`subscription_id = ${subscription_id} AND video_id = ${video_id}
    AND attempts = ${attempts} AND next_attempt_at = ${next_attempt_at}`

export async function deletePush(db: Db, claimed: PushClaim): Promise<void> {
  await db.deleteFrom('push_messages').where(isClaimedRow(claimed)).execute()
}

/** Postpones a push message until its next attempt. */
export async function postponePush(db: Db, claimed: PushClaim, next_attempt_at: Date): Promise<void> {
  await db.updateTable('push_messages').set({ next_attempt_at }).where(isClaimedRow(claimed)).execute()
}

/** Releases a push that was not sent, and does not count the attempt. */
export async function releasePush(db: Db, claimed: PushClaim, next_attempt_at: Date): Promise<void> {
  const attempts = claimed.attempts - 1
  await db
    .updateTable('push_messages')
    .set({ next_attempt_at, attempts })
    .where(isClaimedRow(claimed))
    .execute()
}
