import { sql } from 'kysely'
import { hoursOf, type DaySpan } from '#server/platform/utc-days.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { ClickKind } from './click-kind.ts'

export interface StepRow {
  day: string
  step: 'visit' | 'play' | 'paywall'
  /**
   * The referrer token. Null: the step does not count by token. '': there was no token. `click` and `video_id` have the
   * same meanings.
   */
  token: string | null
  click: ClickKind | null
  video_id: string | null
}

/** Maximum number of characters of a stored token. Longer tokens are truncated. */
export const maxTokenLength = 128

/** Inserts funnel steps. Equal steps become one row with their count. */
export async function insertSteps(tx: Tx, steps: readonly StepRow[]): Promise<void> {
  await sql`
    INSERT INTO funnel_steps (day, step, token, click, video_id, count)
    SELECT day, step, left(token, ${maxTokenLength}), click, video_id, count(*)
    FROM jsonb_to_recordset(${JSON.stringify(steps)}::jsonb)
      AS given (day date, step text, token text, click text, video_id text)
    GROUP BY 1, 2, 3, 4, 5`.execute(tx)
}

/** Equal funnel steps with their count. */
export interface CountedSteps extends StepRow {
  count: number
  /** Number of queued rows that were summed up. */
  row_count: number
}

/** SQL condition: true if there are uncounted funnel steps. */
export const anySteps = 'EXISTS (SELECT FROM funnel_steps)'

/**
 * Removes a batch of funnel steps from the queue: deletes and returns them within the transaction, and the caller
 * counts them. Concurrent processes get different steps.
 */
export async function dequeueFunnelSteps(tx: Tx, limit: number): Promise<CountedSteps[]> {
  const { rows } = await sql<CountedSteps>`
    WITH taken AS (
      DELETE FROM funnel_steps WHERE id = ANY (ARRAY(
        SELECT id FROM funnel_steps ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING day, step, token, click, video_id, count
    )
    SELECT day::text, step, token, click, video_id, sum(count)::int AS count, count(*)::int AS row_count FROM taken
    GROUP BY day, step, token, click, video_id`.execute(tx)
  return rows
}

/**
 * Returns whether a day has uncounted funnel steps. The table is small, because steps are counted every few seconds.
 */
export async function hasUncountedSteps(db: Db, day: string): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    SELECT EXISTS (SELECT FROM funnel_steps WHERE day = ${day}::date) AS any`.execute(db)
  return rows[0]?.any === true
}

/**
 * Counts the visits, and the first paywall views of visits. Must select the same events as `toFunnelSteps` does for
 * steps with a token.
 */
export async function countStepEvents(db: Db, span: DaySpan): Promise<StepEventCounts> {
  const counts = { visits: 0, paywalls: 0 }
  for (const { from, to } of hoursOf(span)) {
    const { rows } = await sql<StepEventCounts>`
      SELECT (count(*) FILTER (WHERE name = 'visit'))::float8 AS visits,
        (count(*) FILTER (WHERE name = 'paywall' AND fields ? 'video_id' AND fields ->> 'first' = '1'))::float8 AS paywalls
      FROM events WHERE at >= ${from} AND at < ${to} AND name IN ('visit', 'paywall')`.execute(db)
    counts.visits += rows[0]?.visits ?? 0
    counts.paywalls += rows[0]?.paywalls ?? 0
  }
  return counts
}

interface StepEventCounts {
  visits: number
  paywalls: number
}
