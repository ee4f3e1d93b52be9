const reasons = new Set<object>()

const preventUnload = (event: Event) => event.preventDefault()

/**
 * Makes the browser ask before it closes the tab, as long as at least one reason is active. Each reason is identified
 * by its object.
 */
export function confirmTabClose(reason: object, isActive: boolean): void {
  if (isActive) reasons.add(reason)
  else reasons.delete(reason)
  if (reasons.size > 0) addEventListener('beforeunload', preventUnload)
  else removeEventListener('beforeunload', preventUnload)
}
