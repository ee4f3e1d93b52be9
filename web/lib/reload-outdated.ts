const settledMs = 60_000

/**
 * A file that this page needs is gone: as a rule a newer release has taken its place, and a fresh document, of where the
 * person was going, brings the right ones. Once: a page that was loaded anew a moment ago would only fail again.
 */
export function reloadOutdated(goingTo: string | undefined): void {
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const again = visit?.type === 'reload' && performance.now() < settledMs
  if (!navigator.onLine || again) return
  if (goingTo) location.assign(goingTo)
  else location.reload()
}
