import { isActing, isAudited, paymentEvents } from '#contract/studio/audit-events.ts'
import type { AuditEvent } from '#contract/studio/operators.ts'
import type { Say } from '#web/studio/texts.ts'

/** The command's words, "video publish"; undefined for what no command did. */
export const wordsOf = (event: string): string | undefined =>
  event.startsWith('studio ') ? event.slice('studio '.length) : undefined

const ofTheSite: ReadonlySet<string> = new Set(paymentEvents)

/** Who did what no operator is named for: the command line, the site itself, or a person whose own line it is. */
export function whoElse(event: string, t: Say): string {
  if (wordsOf(event) !== undefined) return t('team.commandLine')
  return ofTheSite.has(event) ? t('team.site') : '–'
}

/** What was done in a short sentence; a command that is no more is called by its words. */
export function auditEventText({ event, details }: Pick<AuditEvent, 'event' | 'details'>, t: Say): string {
  const words = wordsOf(event)
  if (words !== undefined && isActing(words) && isAsked(details)) return t(`auditEvent.asked.${words}`)
  return isAudited(event) ? t(`auditEvent.done.${event}`) : (words ?? event)
}

/** Whether a line says that a command was asked for, and not yet what came of it. */
function isAsked(details: AuditEvent['details']): boolean {
  const before = 'before' in details ? details.before : null
  return typeof before === 'object' && before !== null && 'asked' in before
}

/** The details as they are read; the database has their names in an order of its own. */
export const beforeFirst = (details: AuditEvent['details']): AuditEvent['details'] =>
  Object.fromEntries(
    Object.entries(details).toSorted(
      ([one], [other]) => Number(other === 'before') - Number(one === 'before'),
    ),
  )
