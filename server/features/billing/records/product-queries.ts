import { sql, type Insertable, type Selectable } from 'kysely'
import { preparedQuery, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type PlanRow = Selectable<tables.PlansTable>

export function selectPlansOnSale(db: Db) {
  return db
    .selectFrom('plans')
    .selectAll()
    .where('archived_at', 'is', null)
    .orderBy('position')
    .orderBy('id')
    .execute()
}

export function selectPlanOnSale(db: Db, id: string) {
  return db
    .selectFrom('plans')
    .selectAll()
    .where('id', '=', id)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
}

const planById = preparedQuery((db: Db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom('plans').selectAll().where('id', '=', id),
)

/** Returns a plan, on sale or archived. */
export async function selectPlanIncludingArchived(db: Db, id: string): Promise<PlanRow> {
  const [plan] = await planById(db, { id })
  if (!plan) throw new Error(`there is no plan ${id}`)
  return plan
}

/** Inserts the first plans if there are no plans. Safe for concurrent processes. */
export async function insertFirstPlans(tx: Tx, plans: Insertable<tables.PlansTable>[]): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('first plans', 0))`.execute(tx)
  if (await tx.selectFrom('plans').select('id').limit(1).executeTakeFirst()) return
  await tx.insertInto('plans').values(plans).execute()
}

/** Returns an episode that is playable and on sale, with its video's prices. */
export function selectEpisodeOnSale(db: Db, id: string) {
  return db
    .selectFrom('episodes')
    .innerJoin('videos', 'videos.id', 'episodes.video_id')
    .select([
      'episodes.id',
      'episodes.number',
      'episodes.video_id',
      'videos.free_episodes',
      'videos.episode_cents',
      'videos.currency',
    ])
    .where('episodes.id', '=', id)
    .where('episodes.asset_id', 'is not', null)
    .where('videos.state', '=', 'published')
    .executeTakeFirst()
}

export interface LockedEpisodeIds {
  id: string
  video_id: string
}

/** Returns the first `count` locked episodes of a drama on sale, or an empty array if no drama has that many. */
export async function selectLockedEpisodes(db: Db, count: number): Promise<LockedEpisodeIds[]> {
  const { rows } = await sql<LockedEpisodeIds>`
    WITH locked AS (
      SELECT episodes.id, number, video_id FROM episodes JOIN videos ON videos.id = video_id
      WHERE state = 'published' AND asset_id IS NOT NULL AND number > free_episodes
    )
    SELECT id, video_id FROM locked
    WHERE video_id = (SELECT video_id FROM locked GROUP BY video_id HAVING count(*) >= ${count}
      ORDER BY video_id LIMIT 1)
    ORDER BY number LIMIT ${count}`.execute(db)
  return rows
}

/**
 * Returns the id of the video with `video_id`, or of the video that contains `episode_id`. Returns undefined if neither
 * exists.
 */
export async function resolveVideoId(
  db: Db,
  { video_id, episode_id }: { video_id?: string | undefined; episode_id?: string | undefined },
): Promise<string | undefined> {
  if (video_id === undefined && episode_id === undefined) return undefined
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM videos WHERE id = ${video_id ?? null}
    UNION ALL SELECT video_id FROM episodes WHERE id = ${episode_id ?? null} LIMIT 1`.execute(db)
  return rows[0]?.id
}

/** Returns the numbers of episodes within their videos, by id. */
export async function selectEpisodeNumbers(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('episodes').select(['id', 'number']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/** Returns a published video with its prices and the number of its last playable episode. */
export function selectVideoOnSale(db: Db, id: string) {
  return db
    .selectFrom('videos')
    .select(['id', 'video_cents', 'episode_cents', 'currency', 'free_episodes'])
    .select(
      sql<
        number | null
      >`(SELECT max(number) FROM episodes WHERE video_id = videos.id AND asset_id IS NOT NULL)`.as(
        'last_number',
      ),
    )
    .where('id', '=', id)
    .where('state', '=', 'published')
    .executeTakeFirst()
}
