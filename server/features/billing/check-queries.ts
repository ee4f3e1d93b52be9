import { sql, type SelectQueryBuilder } from 'kysely'
import type { Tables } from '#server/tables.ts'

/** What is looked at now, how much of it at once, and when it is looked at next after that many looks; null for never again. */
export interface Due {
  now: Date
  limit: number
  next(checks: number): Date | null
}

/** What a row notes of a look at it. */
export interface Look {
  checks: number
  check_at: Date | null
}

/**
 * Takes rows whose time has come, the longest due first, and counts a look at each, so that two processes do not do the same
 * work.
 * @param open those of a table that are to be looked at some time, in a transaction
 * @param note has one of them keep the look
 * @param column where it is kept when their time comes
 */
export async function takeDue<T extends keyof Tables, Row extends { checks: number }>(
  open: SelectQueryBuilder<Tables, T, Row>,
  { now, limit, next }: Due,
  note: (row: Row, look: Look) => { execute(): Promise<unknown> },
  column = 'check_at',
): Promise<Row[]> {
  const due: Row[] = await open
    .where(sql<boolean>`${sql.ref(column)} <= ${now}`)
    .orderBy(sql.ref(column))
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const row of due) {
    const checks = row.checks + 1
    await note(row, { checks, check_at: next(checks) }).execute()
  }
  return due
}
