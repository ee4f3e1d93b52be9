import { isActing, isAudited, paymentEvents } from '#contract/studio/audit-events.ts'
import type { AuditEvent } from '#contract/studio/operators.ts'
import type { Say } from '#web/studio/texts.ts'

/** Returns the command's words, "video publish"; undefined for an event without a command. */
export const wordsOf = (event: string): string | undefined =>
  event.startsWith('studio ') ? event.slice('studio '.length) : undefined

const ofTheSite: ReadonlySet<string> = new Set(paymentEvents)

/** Returns the actor of an event without an operator: the command line, the site itself, or the user. */
export function whoElse(event: string, t: Say): string {
  if (wordsOf(event) !== undefined) return t('team.commandLine')
  return ofTheSite.has(event) ? t('team.site') : '–'
}

/** Returns an event as a short sentence; a command that no longer exists is shown by its name. */
export function auditEventText({ event, details }: Pick<AuditEvent, 'event' | 'details'>, t: Say): string {
  const words = wordsOf(event)
  if (words !== undefined && isActing(words) && isAsked(details)) return t(`auditEvent.asked.${words}`)
  return isAudited(event) ? t(`auditEvent.done.${event}`) : (words ?? event)
}

/** Returns whether an event records a requested command without its result yet. */
function isAsked(details: AuditEvent['details']): boolean {
  const before = 'before' in details ? details.before : null
  return typeof before === 'object' && before !== null && 'asked' in before
}

/** Sorts the details for display, `before` first; the database returns their names in its own order. */
export const beforeFirst = (details: AuditEvent['details']): AuditEvent['details'] =>
  Object.fromEntries(
    Object.entries(details).toSorted(
      ([one], [other]) => Number(other === 'before') - Number(one === 'before'),
    ),
  )
