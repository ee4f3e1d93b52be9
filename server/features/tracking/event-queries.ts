import { sql } from 'kysely'
import { addToCounters } from '#server/platform/database/add-to-counters.ts'
import { deleteExpired, type PurgeOptions } from '#server/platform/database/delete-expired.ts'
import type { Db, Tx } from '#server/tables.ts'
import { maxTokenLength, type StepRow } from './funnel-step-queries.ts'

export interface EventRow {
  at: Date
  id: string
  name: string
  fields: Record<string, string>
  user_id: string | null
  fbclid: string | null
  ttclid: string | null
}

export interface ShareRow {
  dedup_key: string
  video_id: string
  at: Date
}

/** Approximate bytes on disk of an event and its index entries, without its texts. */
const fixedRowBytes = 120
const rowBytes = sql`${sql.lit(fixedRowBytes)} + length(name) + pg_column_size(fields)
  + coalesce(length(fbclid), 0) + coalesce(length(ttclid), 0)`

interface Sized extends Pick<EventRow, 'name' | 'fields'> {
  fbclid?: string | null | undefined
  ttclid?: string | null | undefined
}

/** Estimates the disk space of an event before it is written. */
export function estimateEventBytes({ name, fields, fbclid, ttclid }: Sized): number {
  const texts = [name, JSON.stringify(fields), fbclid ?? '', ttclid ?? '']
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), fixedRowBytes)
}

/**
 * Inserts a batch of events and their funnel steps. With `mayExist`, ignores an event that already exists. Without it,
 * such an event makes the transaction fail; this saves 48 bytes of WAL for each event. All rows are passed as one JSON
 * parameter, so that the statement's text is the same for every batch size.
 */
export async function insertEvents(
  tx: Tx,
  rows: readonly EventRow[],
  steps: readonly (StepRow & { id: string })[],
  { mayExist }: { mayExist: boolean },
): Promise<void> {
  await sql`
    WITH added AS (
      INSERT INTO events (at, id, name, fields, user_id, fbclid, ttclid)
      SELECT at, id, name, fields, user_id, fbclid, ttclid FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS given (at timestamptz, id uuid, name text, fields jsonb, user_id text, fbclid text, ttclid text)
      ${mayExist ? sql`ON CONFLICT DO NOTHING` : sql``} RETURNING id
    )
    INSERT INTO funnel_steps (day, step, token, click, video_id, count)
    SELECT day, step, left(token, ${maxTokenLength}), click, video_id, count(*)
    FROM added JOIN jsonb_to_recordset(${JSON.stringify(steps)}::jsonb)
      AS given (id uuid, day date, step text, token text, click text, video_id text) USING (id)
    GROUP BY 1, 2, 3, 4, 5`.execute(tx)
}

/** Inserts shares of published videos, in the order of their keys, so that two processes do not deadlock. */
export async function insertShares(tx: Tx, rows: readonly ShareRow[]): Promise<void> {
  await sql`
    INSERT INTO shares (dedup_key, video_id, at)
    SELECT given.dedup_key, given.video_id, given.at
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (dedup_key text, video_id text, at timestamptz)
    JOIN videos ON videos.id = given.video_id AND videos.state = 'published'
    ORDER BY given.dedup_key
    ON CONFLICT DO NOTHING`.execute(tx)
}

/** SQL condition: true if there are uncounted shares. */
export const anyShares = 'EXISTS (SELECT FROM shares WHERE NOT aggregated)'

/**
 * Adds a batch of uncounted shares to the counters of their videos. Several processes may do this at once.
 * @returns the number of counted shares
 */
export async function aggregateShareBatch(tx: Tx, limit: number): Promise<number> {
  const { rows } = await sql<{ video_id: string; shares: number }>`
    WITH batch AS (
      SELECT dedup_key FROM shares WHERE NOT aggregated LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), marked AS (
      UPDATE shares SET aggregated = true FROM batch WHERE shares.dedup_key = batch.dedup_key RETURNING shares.video_id
    )
    SELECT video_id, count(*)::int AS shares FROM marked GROUP BY video_id`.execute(tx)
  const shares = new Map(rows.map((row) => [row.video_id, row.shares]))
  await addToCounters(tx, 'videos', 'share_count', shares)
  return rows.reduce((sum, row) => sum + row.shares, 0)
}

/** Deletes counted shares older than a time. */
export function deleteShares(db: Db, before: Date, options: PurgeOptions): Promise<void> {
  return deleteExpired(db, { table: 'shares', time: 'at', before, condition: sql`aggregated` }, options)
}

/** Deletes the user id and click ids from a user's events. The events themselves remain. */
export async function anonymizeEvents(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable('events')
    .set({ user_id: null, fbclid: null, ttclid: null })
    .where('user_id', '=', userId)
    .execute()
}

/**
 * Deletes a user's oldest events beyond a total size. Skips events that another transaction has locked, so that two
 * processes do not deadlock. The next call deletes these events.
 */
export async function trimEvents(db: Db, userId: string, maxBytes: number): Promise<void> {
  await sql`
    WITH sized AS (
      SELECT at, id, sum(${rowBytes}) OVER (ORDER BY at DESC, id DESC) AS bytes FROM events WHERE user_id = ${userId}
    ), beyond AS (
      SELECT events.at, events.id FROM events JOIN sized USING (at, id) WHERE sized.bytes > ${maxBytes}
      ORDER BY at, id FOR UPDATE OF events SKIP LOCKED
    )
    DELETE FROM events USING beyond WHERE events.at = beyond.at AND events.id = beyond.id`.execute(db)
}

export async function moveEvents(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('events').set({ user_id: to }).where('user_id', '=', from).execute()
}

/** Returns a page of a user's events after the given event, newest first. */
export function selectUserEvents(
  db: Db,
  userId: string,
  after: Pick<EventRow, 'at' | 'id'> | undefined,
  limit: number,
) {
  return db
    .selectFrom('events')
    .select(['at', 'id', 'name', 'fields', 'fbclid', 'ttclid'])
    .where('user_id', '=', userId)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(at, id) < (${after?.at}, ${after?.id})`))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
