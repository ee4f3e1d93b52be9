import { isActing, isAudited } from '#contract/studio/deeds.ts'
import type { Deed } from '#contract/studio/operators.ts'
import type { Say } from '#web/studio/texts.ts'

/** The command's words, "video publish"; undefined for what no command did. */
export const wordsOf = (event: string): string | undefined =>
  event.startsWith('studio ') ? event.slice('studio '.length) : undefined

/** What was done in a short sentence; a command that is no more is called by its words. */
export function deedWords({ event, details }: Pick<Deed, 'event' | 'details'>, t: Say): string {
  const words = wordsOf(event)
  if (words !== undefined && isActing(words) && isAsked(details)) return t(`deed.asked.${words}`)
  return isAudited(event) ? t(`deed.done.${event}`) : (words ?? event)
}

/** Whether a line says that a command was asked for, and not yet what came of it. */
function isAsked(details: Deed['details']): boolean {
  const before = 'before' in details ? details.before : null
  return typeof before === 'object' && before !== null && 'asked' in before
}
