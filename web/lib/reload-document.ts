/** Reloads the document, because a document does not fetch a failed module again. Waits while offline. */
export function reloadDocument(): void {
  const reload = () => location.reload()
  const [navigation] = performance.getEntriesByType('navigation')
  const isReloaded = navigation instanceof PerformanceNavigationTiming && navigation.type === 'reload'
  // Firefox also reports failed modules while it leaves the document. The timer then never fires.
  if (navigator.onLine && !isReloaded) setTimeout(reload, 1000)
  else addEventListener('online', reload, { once: true })
}
