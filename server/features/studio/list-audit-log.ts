import { listAuditEvents } from '#contract/studio/operators.ts'
import { cutPage, decodeCursor, encodeCursor, choosePageSize } from '#server/platform/cursor.ts'
import { selectAuditEvents, selectAuditEventsAbout } from './audit-queries.ts'
import { readCommand, type Command } from './define-command.ts'

const pageLimits = { default: 50, max: 100 }

/**
 * Commands that read the audit log. Entries are permanent, because the trigger `audit_events_append_only` rejects
 * changes and deletions.
 */
export const auditCommands: Command[] = [
  readCommand(listAuditEvents, async ({ db }, { subject, cursor, limit }) => {
    const name = `audit ${subject ?? ''}`
    const [before] = decodeCursor(name, cursor, ['count']) ?? []
    const pageSize = choosePageSize(limit, pageLimits)
    const pageQuery = { before, limit: pageSize + 1 }
    const rows = await (subject === undefined
      ? selectAuditEvents(db, pageQuery)
      : selectAuditEventsAbout(db, subject, pageQuery))
    const { page, last } = cutPage(rows, pageSize)
    const list = page.map(({ at, ...event }) => ({ ...event, at: at.toISOString() }))
    return {
      data: { list, next_cursor: last ? encodeCursor(name, [Number(last.id)]) : null },
    }
  }),
]
