import { dayMs } from '#server/platform/clock.ts'
import { sql } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Returns whether a user's e-mail alerts are on, and whether the user can turn them on. Only a member with a confirmed
 * address can.
 */
export async function selectAlerts(db: Db, userId: string): Promise<{ mail: boolean; can_mail: boolean }> {
  const row = await db
    .selectFrom('users')
    .leftJoin('alert_settings', 'alert_settings.user_id', 'users.id')
    .select([
      sql<boolean>`coalesce(alert_settings.mail, false)`.as('mail'),
      sql<boolean>`users.email IS NOT NULL AND users.email_verified_at IS NOT NULL`.as('can_mail'),
    ])
    .where('users.id', '=', userId)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst()
  return row ?? { mail: false, can_mail: false }
}

export async function saveAlertSetting(tx: Tx, userId: string, mail: boolean, now: Date): Promise<void> {
  await tx
    .insertInto('alert_settings')
    .values({ user_id: userId, mail, changed_at: now })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ mail, changed_at: now }))
    .execute()
}

export async function deleteAlertSetting(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('alert_settings').where('user_id', '=', userId).execute()
}

export function selectAlertSetting(db: Db, userId: string) {
  return db
    .selectFrom('alert_settings')
    .select(['mail', 'changed_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Maximum time in milliseconds between two episodes of the same release. */
export const releaseGapMs = 10 * 60_000

/**
 * SQL condition: true if the alert job has work at `$1`. Work is a batch in progress, new episodes without
 * `detected_at`, or episodes detected at least `releaseGapMs` ago.
 */
export const anyNewEpisodes = `EXISTS (SELECT FROM alert_batches) OR EXISTS (SELECT FROM new_episodes WHERE detected_at IS NULL OR detected_at <= $1::timestamptz - interval '${releaseGapMs} milliseconds')`

/**
 * Sets `detected_at` of a batch of new episodes. The trigger that inserts them cannot set it: in test mode, the site's
 * clock differs from the database's.
 * @returns how many were changed
 */
export async function stampNewEpisodes(tx: Tx, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE new_episodes SET detected_at = ${now} WHERE episode_id = ANY(ARRAY(
      SELECT episode_id FROM new_episodes WHERE detected_at IS NULL ORDER BY episode_id LIMIT ${limit}
      FOR UPDATE SKIP LOCKED
    ))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Maximum wait in milliseconds for a release's other episodes that are still being transcoded. */
const maxReleaseMs = dayMs

/**
 * Returns a page of the videos whose new episodes were all detected at or before the time `before`, in the order of the
 * ids, after the video `after`. A video with an episode that is still being transcoded is returned only after
 * `maxReleaseMs`.
 */
export async function selectCompletedReleases(
  db: Db,
  before: Date,
  { after = '', limit }: { after: string | undefined; limit: number },
): Promise<string[]> {
  const longAgo = new Date(before.getTime() - maxReleaseMs)
  const rows = await db
    .selectFrom('new_episodes')
    .select('video_id')
    .where('video_id', '>', after)
    .groupBy('video_id')
    .having(
      sql<boolean>`bool_and(detected_at IS NOT NULL AND detected_at <= ${before}) AND (min(detected_at) <= ${longAgo} OR NOT EXISTS (
        SELECT FROM episodes JOIN assets ON assets.id = episodes.next_asset_id
        WHERE episodes.video_id = new_episodes.video_id AND (assets.state = 'processing' OR assets.state = 'uploaded' AND assets.original_path IS NOT NULL)))`,
    )
    .orderBy('video_id')
    .limit(limit)
    .execute()
  return rows.map(({ video_id }) => video_id)
}

/**
 * Converts a video's rows of `new_episodes` into one batch. A video that is not published gets no batch. If two
 * processes run this concurrently, the second finds no rows and creates no batch.
 */
export async function createBatch(tx: Tx, videoId: string): Promise<void> {
  await sql`
    WITH taken AS (
      DELETE FROM new_episodes WHERE video_id = ${videoId} AND detected_at IS NOT NULL RETURNING episode_id, detected_at
    )
    INSERT INTO alert_batches (id, video_id, number, count, detected_at)
    SELECT ${newId('alb')}, ${videoId}, min(episodes.number), count(*), min(taken.detected_at)
    FROM taken JOIN episodes ON episodes.id = taken.episode_id
    JOIN videos ON videos.id = episodes.video_id AND videos.state = 'published'
    HAVING count(*) > 0`.execute(tx)
}

export interface AlertBatch {
  id: string
  video_id: string
  number: number
  count: number
  detected_at: Date
  last_user_id: string
  titles: LocalizedText
}

/** Locks a batch until the end of the transaction. Skips batches that another process has locked. */
export function lockBatch(tx: Tx): Promise<AlertBatch | undefined> {
  return tx
    .selectFrom('alert_batches')
    .innerJoin('videos', 'videos.id', 'alert_batches.video_id')
    .select(['alert_batches.id', 'alert_batches.video_id', 'alert_batches.number', 'alert_batches.count'])
    .select(['alert_batches.detected_at', 'alert_batches.last_user_id', 'videos.titles'])
    .orderBy('alert_batches.id')
    .limit(1)
    .forUpdate('alert_batches')
    .skipLocked()
    .executeTakeFirst()
}

export interface AlertedUser {
  user_id: string
  email: string
  language: string | null
  /** True if the user made the video a favorite before the release, and the account still exists. */
  is_news: boolean
  /** True if the user gets alerts by e-mail. */
  by_mail: boolean
}

/** Returns the next page of users, ordered by id, who have the video among their favorites. */
export function selectUsersWithFavorite(db: Db, batch: AlertBatch, limit: number): Promise<AlertedUser[]> {
  return db
    .selectFrom('favorites')
    .innerJoin('users', 'users.id', 'favorites.user_id')
    .leftJoin('alert_settings', 'alert_settings.user_id', 'favorites.user_id')
    .select(['favorites.user_id', 'users.language'])
    .select([
      sql<string>`coalesce(users.email, '')`.as('email'),
      sql<boolean>`coalesce(alert_settings.mail, false) AND users.email IS NOT NULL AND users.email_verified_at IS NOT NULL`.as(
        'by_mail',
      ),
      sql<boolean>`users.deleted_at IS NULL AND favorites.favorited_at <= ${batch.detected_at}`.as('is_news'),
    ])
    .where('favorites.video_id', '=', batch.video_id)
    .where('favorites.user_id', '>', batch.last_user_id)
    .orderBy('favorites.user_id')
    .limit(limit)
    .execute()
}

export async function advanceBatch(tx: Tx, id: string, last_user_id: string): Promise<void> {
  await tx.updateTable('alert_batches').set({ last_user_id }).where('id', '=', id).execute()
}

export async function deleteBatch(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('alert_batches').where('id', '=', id).execute()
}
