import { listAudit } from '#contract/studio/operators.ts'
import { decodeCursor, encodeCursor } from '#server/platform/cursor.ts'
import { selectDeeds } from './audit-queries.ts'
import { reads, type Command } from './command.ts'

const mostDeeds = 100

/** The audit trail, which nobody can change (security.md, "Secrets"). */
export const auditCommands: Command[] = [
  reads(listAudit, async ({ db }, { subject, cursor, limit = 50 }) => {
    const name = `audit ${subject ?? ''}`
    const [before] = decodeCursor(name, cursor, ['count']) ?? []
    const most = Math.min(limit, mostDeeds)
    const rows = await selectDeeds(db, { subject, before, limit: most + 1 })
    const page = rows.slice(0, most)
    const last = page.at(-1)
    const list = page.map(({ at, ...deed }) => ({ ...deed, at: at.toISOString() }))
    return {
      data: { list, next_cursor: last && rows.length > most ? encodeCursor(name, [Number(last.id)]) : null },
    }
  }),
]
