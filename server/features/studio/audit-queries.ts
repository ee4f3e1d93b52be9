import { sql, type RawBuilder } from 'kysely'
import type { Db } from '#server/tables.ts'

export interface AuditEventRow {
  id: string
  at: Date
  event: string
  operator: string | null
  subject: string | null
  details: Record<string, unknown>
}

interface AuditPage {
  /** Id of the last event on the previous page. */
  before: number | undefined
  limit: number
}

/** Returns a page of the operators' commands and sign-ins, latest first. */
export function selectAuditEvents(db: Db, page: AuditPage): Promise<AuditEventRow[]> {
  return selectRows(db, eventsWhere(sql`(event LIKE 'studio %' OR event LIKE 'operator_%')`, page))
}

/**
 * Returns a page of all events about a subject, latest first. If the subject is a user, this includes the user's own
 * actions.
 */
export function selectAuditEventsAbout(db: Db, subject: string, page: AuditPage): Promise<AuditEventRow[]> {
  // Each half of the UNION uses its own index and reads at most one page.
  return selectRows(
    db,
    sql`(${eventsWhere(sql`subject = ${subject}`, page)}) UNION ALL
      (${eventsWhere(sql`user_id = ${subject} AND subject IS DISTINCT FROM ${subject}`, page)})
      ORDER BY id DESC LIMIT ${page.limit}`,
  )
}

/** Returns the values that operators set when they created or edited a video, in no particular order. */
export async function selectVideoEdits(db: Db, videoId: string) {
  const { rows } = await sql<{ event: string; after: Record<string, unknown> | null }>`
    SELECT event, details->'after' AS after FROM audit_events
    WHERE subject = ${videoId} AND event IN ('studio video add', 'studio video edit')`.execute(db)
  return rows
}

function eventsWhere(condition: RawBuilder<unknown>, { before = Number.MAX_SAFE_INTEGER, limit }: AuditPage) {
  return sql`SELECT id, at, event, operator, subject, details FROM audit_events
    WHERE ${condition} AND id < ${before} ORDER BY id DESC LIMIT ${limit}`
}

async function selectRows(db: Db, events: RawBuilder<unknown>): Promise<AuditEventRow[]> {
  const { rows } = await sql<AuditEventRow>`SELECT id::text, at, event, operator, subject, details
    FROM (${events}) AS lines ORDER BY lines.id DESC`.execute(db)
  return rows
}
