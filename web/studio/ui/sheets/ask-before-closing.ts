const reasons = new Set<object>()

const askFirst = (event: Event) => event.preventDefault()

/** Makes the browser ask before it closes the tab while any reason holds. A reason is identified by its object. */
export function askBeforeClosing(reason: object, holds: boolean): void {
  if (holds) reasons.add(reason)
  else reasons.delete(reason)
  if (reasons.size > 0) addEventListener('beforeunload', askFirst)
  else removeEventListener('beforeunload', askFirst)
}
