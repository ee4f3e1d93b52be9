const reasons = new Set<object>()

const askFirst = (event: Event) => event.preventDefault()

/** As long as one of the reasons holds, the browser asks before it closes the tab. A reason is known again by its object. */
export function askBeforeClosing(reason: object, holds: boolean): void {
  if (holds) reasons.add(reason)
  else reasons.delete(reason)
  if (reasons.size > 0) addEventListener('beforeunload', askFirst)
  else removeEventListener('beforeunload', askFirst)
}
