import { sql } from 'kysely'
import type { DaySpan } from '#server/platform/utc-days.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { ClickKind } from './click-kind.ts'

export interface StepRow {
  day: string
  step: 'visit' | 'play' | 'paywall'
  /** Null if the step does not count there. */
  token: string | null
  click: ClickKind | null
  video_id: string | null
}

/** Longer tokens are truncated. */
export const maxTokenLength = 128

/** Inserts steps, with equal ones in one row. */
export async function insertSteps(tx: Tx, steps: readonly StepRow[]): Promise<void> {
  await sql`
    INSERT INTO funnel_steps (day, step, token, click, video_id, count)
    SELECT day, step, left(token, ${maxTokenLength}), click, video_id, count(*)
    FROM jsonb_to_recordset(${JSON.stringify(steps)}::jsonb)
      AS given (day date, step text, token text, click text, video_id text)
    GROUP BY 1, 2, 3, 4, 5`.execute(tx)
}

/** Equal steps with their count. */
export interface CountedSteps extends StepRow {
  count: number
}

/** True while there are steps to count. */
export const anySteps = 'EXISTS (SELECT FROM funnel_steps)'

/** Deletes a batch of steps in order to count them, within the transaction; concurrent processes get different ones. */
export async function dequeueFunnelSteps(tx: Tx, limit: number): Promise<CountedSteps[]> {
  const { rows } = await sql<CountedSteps>`
    WITH taken AS (
      DELETE FROM funnel_steps WHERE id = ANY (ARRAY(
        SELECT id FROM funnel_steps ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING day, step, token, click, video_id, count
    )
    SELECT day::text, step, token, click, video_id, sum(count)::int AS count FROM taken
    GROUP BY day, step, token, click, video_id`.execute(tx)
  return rows
}

/** Returns whether a day has uncounted steps. There are few, since they are counted every few seconds. */
export async function hasUncountedSteps(db: Db, day: string): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    SELECT EXISTS (SELECT FROM funnel_steps WHERE day = ${day}::date) AS any`.execute(db)
  return rows[0]?.any === true
}

/** Counts the events that are a visit or a paywall view of a token (funnel-steps.ts). */
export async function countStepEvents(db: Db, { from, to }: DaySpan) {
  const { rows } = await sql<{ visits: number; paywalls: number }>`
    SELECT (count(*) FILTER (WHERE name = 'visit'))::float8 AS visits,
      (count(*) FILTER (WHERE name = 'paywall' AND fields ? 'video_id' AND fields ->> 'first' = '1'))::float8 AS paywalls
    FROM events WHERE at >= ${from} AND at < ${to} AND name IN ('visit', 'paywall')`.execute(db)
  return rows[0] ?? { visits: 0, paywalls: 0 }
}
