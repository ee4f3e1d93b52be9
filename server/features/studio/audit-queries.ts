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
  /** The last id of the previous page. */
  before: number | undefined
  limit: number
}

/** Selects operators' actions and sign-ins, latest first. */
export function selectAuditEvents(db: Db, page: AuditPage): Promise<AuditEventRow[]> {
  return selectRows(db, eventsWhere(sql`(event LIKE 'studio %' OR event LIKE 'operator_%')`, page))
}

/** Selects everything done to one subject and, if that is a user, their own actions; latest first. */
export function selectAuditEventsAbout(db: Db, subject: string, page: AuditPage): Promise<AuditEventRow[]> {
  // Each half is read by its own index, up to one page.
  return selectRows(
    db,
    sql`(${eventsWhere(sql`subject = ${subject}`, page)}) UNION ALL
      (${eventsWhere(sql`user_id = ${subject} AND subject IS DISTINCT FROM ${subject}`, page)})
      ORDER BY id DESC LIMIT ${page.limit}`,
  )
}

/** Selects the values that a video was created and edited with, in order. */
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
