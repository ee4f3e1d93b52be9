import { sql } from 'kysely'
import type { DaySpan } from '#server/platform/utc-days.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { ClickKind } from './click-kind.ts'

export interface StepRow {
  day: string
  step: 'visit' | 'play' | 'paywall'
  /** Null where the step does not count there. */
  token: string | null
  click: ClickKind | null
  video_id: string | null
}

/** A token that is longer counts as what it begins with. */
export const longestToken = 128

/** Notes steps; those of the same kind are one row. */
export async function insertSteps(tx: Tx, steps: readonly StepRow[]): Promise<void> {
  await sql`
    INSERT INTO funnel_steps (day, step, token, click, video_id, count)
    SELECT day, step, left(token, ${longestToken}), click, video_id, count(*)
    FROM jsonb_to_recordset(${JSON.stringify(steps)}::jsonb)
      AS given (day date, step text, token text, click text, video_id text)
    GROUP BY 1, 2, 3, 4, 5`.execute(tx)
}

/** Steps of the same kind, and how many they are. */
export interface TakenSteps extends StepRow {
  count: number
}

/** Holds while there are steps to count. */
export const anySteps = 'EXISTS (SELECT FROM funnel_steps)'

/** Takes a batch of steps away to be counted, with the transaction; several processes each take others. */
export async function takeSteps(tx: Tx, most: number): Promise<TakenSteps[]> {
  const { rows } = await sql<TakenSteps>`
    WITH taken AS (
      DELETE FROM funnel_steps WHERE id = ANY (ARRAY(
        SELECT id FROM funnel_steps ORDER BY id LIMIT ${most} FOR UPDATE SKIP LOCKED
      )) RETURNING day, step, token, click, video_id, count
    )
    SELECT day::text, step, token, click, video_id, sum(count)::int AS count FROM taken
    GROUP BY day, step, token, click, video_id`.execute(tx)
  return rows
}

/** Whether steps of a day wait to be taken. They are few, as they are taken every few seconds. */
export async function anyStepsOf(db: Db, day: string): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    SELECT EXISTS (SELECT FROM funnel_steps WHERE day = ${day}::date) AS any`.execute(db)
  return rows[0]?.any === true
}

/** The events that count as a visit or a paywall view of a token (funnel-steps.ts). */
export async function countStepEvents(db: Db, { from, to }: DaySpan) {
  const { rows } = await sql<{ visits: number; paywalls: number }>`
    SELECT (count(*) FILTER (WHERE name = 'visit'))::float8 AS visits,
      (count(*) FILTER (WHERE name = 'paywall' AND fields ? 'video_id' AND fields ->> 'first' = '1'))::float8 AS paywalls
    FROM events WHERE at >= ${from} AND at < ${to} AND name IN ('visit', 'paywall')`.execute(db)
  return rows[0] ?? { visits: 0, paywalls: 0 }
}
