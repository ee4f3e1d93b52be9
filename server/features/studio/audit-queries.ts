import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

export interface DeedRow {
  id: string
  at: Date
  event: string
  operator: string | null
  subject: string | null
  details: Record<string, unknown>
}

/** What operators did and when they came in, the latest first, or everything that was done to one subject. */
export async function selectDeeds(
  db: Db,
  { subject, before, limit }: { subject?: string | undefined; before: number | undefined; limit: number },
): Promise<DeedRow[]> {
  const which =
    subject === undefined
      ? sql`(event LIKE 'studio %' OR event LIKE 'operator_%')`
      : sql`subject = ${subject}`
  const { rows } = await sql<DeedRow>`
    SELECT id::text, at, event, operator, subject, details FROM audit_events
    WHERE ${which} AND id < ${before ?? Number.MAX_SAFE_INTEGER} ORDER BY audit_events.id DESC LIMIT ${limit}`.execute(
    db,
  )
  return rows
}
