import type { Pool } from 'pg'

/**
 * The calls of a caller that a process counted in a time window. `timeWindow` is the number of the window since 1970.
 */
export interface CountedCalls {
  caller: string
  timeWindow: number
  calls: number
  expiresAt: Date
}

/** The calls of a caller over all processes, in this window and in the previous one. */
export interface SummedCalls {
  caller: string
  calls: number
  before: number
}

/** Adds counts in the order of the callers, so that two processes do not deadlock. */
const addCallsQuery = `
  INSERT INTO api_call_counts (caller, time_window, calls, expires_at)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::timestamptz[]) AS given (caller) ORDER BY caller
  ON CONFLICT (caller, time_window) DO UPDATE SET calls = api_call_counts.calls + excluded.calls
  RETURNING caller, calls, coalesce(
    (SELECT earlier.calls FROM api_call_counts AS earlier
     WHERE earlier.caller = api_call_counts.caller AND earlier.time_window = api_call_counts.time_window - 1), 0) AS before`

/** Deletes a batch of expired counts. Skips those that another process is deleting. */
const deleteExpiredQuery = `
  DELETE FROM api_call_counts WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM api_call_counts WHERE expires_at < $1 ORDER BY expires_at LIMIT 5000 FOR UPDATE SKIP LOCKED))`

/** Adds this process's counts to those of the others, deletes expired counts, and returns the sums. */
export async function shareCallCounts(
  pool: Pool,
  counted: readonly CountedCalls[],
  now: Date,
): Promise<SummedCalls[]> {
  const columns = [
    counted.map(({ caller }) => caller),
    counted.map(({ timeWindow }) => timeWindow),
    counted.map(({ calls }) => calls),
    counted.map(({ expiresAt }) => expiresAt),
  ]
  const { rows } = await pool.query<SummedCalls>(addCallsQuery, columns)
  await pool.query(deleteExpiredQuery, [now])
  return rows
}
