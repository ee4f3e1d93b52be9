import { listAudit } from '#contract/studio/operators.ts'
import { cutPage, decodeCursor, encodeCursor, pageSize } from '#server/platform/cursor.ts'
import { selectAuditEvents, selectAuditEventsAbout } from './audit-queries.ts'
import { reads, type Command } from './command.ts'

const limits = { usual: 50, most: 100 }

/** Commands of the append-only audit log. */
export const auditCommands: Command[] = [
  reads(listAudit, async ({ db }, { subject, cursor, limit }) => {
    const name = `audit ${subject ?? ''}`
    const [before] = decodeCursor(name, cursor, ['count']) ?? []
    const most = pageSize(limit, limits)
    const wanted = { before, limit: most + 1 }
    const rows = await (subject === undefined
      ? selectAuditEvents(db, wanted)
      : selectAuditEventsAbout(db, subject, wanted))
    const { page, last } = cutPage(rows, most)
    const list = page.map(({ at, ...event }) => ({ ...event, at: at.toISOString() }))
    return {
      data: { list, next_cursor: last ? encodeCursor(name, [Number(last.id)]) : null },
    }
  }),
]
