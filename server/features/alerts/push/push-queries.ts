import { sql, type Insertable } from 'kysely'
import type { Texts } from '#contract/languages.ts'
import type { CoverColumns } from '#server/features/catalog/catalog.ts'
import type { PushSubscriptionsTable } from '#server/features/alerts/tables.ts'
import type { Batch } from '#server/features/alerts/queries.ts'
import type { BegunSession } from '#server/features/members/members.ts'
import type { Db, Tx } from '#server/tables.ts'

/** Forgets keys that cannot be read, with what hangs on them; unless another process has done so. */
export async function forgetPushKeys(tx: Tx, sealed: string): Promise<void> {
  const gone = await tx
    .deleteFrom('settings')
    .where('key', '=', 'push_keys')
    .where(sql<boolean>`value ->> 'sealed' = ${sealed}`)
    .executeTakeFirst()
  if (gone.numDeletedRows > 0n) await tx.deleteFrom('push_subscriptions').execute()
}

/** Stores a browser for a person, or again with new keys. What waited for somebody else in that browser goes. */
export async function saveSubscription(tx: Tx, row: Insertable<PushSubscriptionsTable>): Promise<void> {
  const { id, ...rest } = row
  await tx.deleteFrom('push_subscriptions').where('id', '=', id).where('user_id', '<>', row.user_id).execute()
  await tx
    .insertInto('push_subscriptions')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
    .execute()
}

/** Deletes all of a person's browsers but the latest. */
export async function keepLatestSubscriptions(tx: Tx, userId: string, most: number): Promise<void> {
  const older = tx
    .selectFrom('push_subscriptions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(most)
  await tx.deleteFrom('push_subscriptions').where('id', 'in', older).execute()
}

export async function moveSubscriptions(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('push_subscriptions').set({ user_id: to }).where('user_id', '=', from).execute()
}

/** Has a new session hold a member's browsers that no session holds yet, and those of the session it replaces. */
export async function bindSubscriptions(
  tx: Tx,
  { userId, sessionId, formerSessionId = sessionId }: BegunSession,
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

/** A person's browsers, the latest first. */
export function selectSubscriptions(db: Db, userId: string) {
  return db
    .selectFrom('push_subscriptions')
    .select(['id', 'endpoint', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

/** Queues a release for every browser of these people. One of the same video that still waits is replaced. */
export async function queuePushes(
  tx: Tx,
  { video_id, number, count }: Batch,
  userIds: readonly string[],
  { due_at, expires_at }: { due_at: Date; expires_at: Date },
): Promise<void> {
  if (userIds.length === 0) return
  const news = { number, count, due_at, expires_at }
  await tx
    .insertInto('push_messages')
    .columns(['subscription_id', 'video_id', 'number', 'count', 'due_at', 'expires_at'])
    .expression((db) =>
      db
        .selectFrom('push_subscriptions')
        .select((row) => [
          'push_subscriptions.id',
          row.val(video_id).as('video_id'),
          row.cast<number>(row.val(number), 'integer').as('number'),
          row.cast<number>(row.val(count), 'integer').as('count'),
          row.cast<Date>(row.val(due_at), 'timestamptz').as('due_at'),
          row.cast<Date>(row.val(expires_at), 'timestamptz').as('expires_at'),
        ])
        .where('user_id', 'in', userIds),
    )
    .onConflict((conflict) =>
      conflict.columns(['subscription_id', 'video_id']).doUpdateSet({ ...news, attempts: 0 }),
    )
    .execute()
}

/** Holds while a push's time has come. */
export const anyDuePushes = 'EXISTS (SELECT FROM push_messages WHERE due_at <= $1)'

/** A push that is to be sent now, with all that it is made of. */
export interface DuePush extends CoverColumns {
  subscription_id: string
  video_id: string
  number: number
  count: number
  /** Including this one. */
  attempts: number
  expires_at: Date
  endpoint: string
  p256dh: string
  auth: string
  language: string | null
  titles: Texts
  is_published: boolean
}

/** Takes pushes whose time has come, for as long as `until`: no other process takes them before that. */
export async function claimPushes(db: Db, now: Date, until: Date, limit: number): Promise<DuePush[]> {
  const { rows } = await sql<DuePush>`
    WITH due AS (
      SELECT subscription_id, video_id FROM push_messages
      WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE push_messages AS message SET attempts = message.attempts + 1, due_at = ${until}
      FROM due WHERE message.subscription_id = due.subscription_id AND message.video_id = due.video_id
      RETURNING message.*
    )
    SELECT taken.subscription_id, taken.video_id, taken.number, taken.count, taken.attempts, taken.expires_at,
      browser.endpoint, browser.p256dh, browser.auth, users.language,
      videos.titles, videos.state = 'published' AS is_published,
      videos.cover_path, videos.cover_color, videos.language_covers
    FROM taken
    JOIN push_subscriptions AS browser ON browser.id = taken.subscription_id
    JOIN users ON users.id = browser.user_id
    JOIN videos ON videos.id = taken.video_id`.execute(db)
  return rows
}

type Claimed = Pick<DuePush, 'subscription_id' | 'video_id' | 'attempts'>

/** Ends a push, unless another release has taken its place or another process has it by now. */
export async function deletePush(db: Db, { subscription_id, video_id, attempts }: Claimed): Promise<void> {
  await db
    .deleteFrom('push_messages')
    .where('subscription_id', '=', subscription_id)
    .where('video_id', '=', video_id)
    .where('attempts', '=', attempts)
    .execute()
}

export async function postponePush(
  db: Db,
  { subscription_id, video_id, attempts }: Claimed,
  due_at: Date,
): Promise<void> {
  await db
    .updateTable('push_messages')
    .set({ due_at })
    .where('subscription_id', '=', subscription_id)
    .where('video_id', '=', video_id)
    .where('attempts', '=', attempts)
    .execute()
}
