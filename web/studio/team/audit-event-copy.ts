import { isMultiTransactionCommand, isAuditedEvent, paymentEvents } from '#contract/studio/audit-events.ts'
import type { AuditEvent } from '#contract/studio/operators.ts'
import type { Translate } from '#web/studio/texts.ts'

/** Returns the command of an event, such as "video publish"; undefined if the event is not about a command. */
export const commandOf = (event: string): string | undefined =>
  event.startsWith('studio ') ? event.slice('studio '.length) : undefined

const siteEvents: ReadonlySet<string> = new Set(paymentEvents)

/** Returns who caused an event that has no operator: the command line, the site itself, or "–" for a user. */
export function actorText(event: string, t: Translate): string {
  if (commandOf(event) !== undefined) return t('team.commandLine')
  return siteEvents.has(event) ? t('team.site') : '–'
}

/** Describes an event in a short sentence. A command that no longer exists is shown by its name. */
export function auditEventText(
  { event, details }: Pick<AuditEvent, 'event' | 'details'>,
  t: Translate,
): string {
  const command = commandOf(event)
  if (command !== undefined && isMultiTransactionCommand(command) && isRequest(details))
    return t(`auditEvent.requested.${command}`)
  return isAuditedEvent(event) ? t(`auditEvent.done.${event}`) : (command ?? event)
}

/** Returns whether the event records only the request of a command. A second event records its result. */
function isRequest(details: AuditEvent['details']): boolean {
  const before = 'before' in details ? details.before : null
  return typeof before === 'object' && before !== null && 'asked' in before
}

/** Sorts the details for display, `before` first, because the database does not keep their order. */
export const orderBeforeAfter = (details: AuditEvent['details']): AuditEvent['details'] =>
  Object.fromEntries(
    Object.entries(details).toSorted(
      ([one], [other]) => Number(other === 'before') - Number(one === 'before'),
    ),
  )
