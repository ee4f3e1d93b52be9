import { getHealth } from '#contract/health.ts'

const retryMs = 5000
const timeoutMs = 5000

/**
 * Reports when the site becomes unreachable and when it is reachable again. Checks the site itself: the browser's
 * online state describes only the network, and a document may come from the service worker's cache.
 * @returns a function that stops watching
 */
export function watchConnection(report: (isReachable: boolean) => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let timer: ReturnType<typeof setTimeout> | undefined
  // In a document from the cache the connection is unknown, and earlier calls may have failed. The first result is
  // therefore always reported.
  let lastReported = findOfflineMeta() ? undefined : true
  const check = async () => {
    clearTimeout(timer)
    const isReachable = await isSiteReachable(signal)
    if (signal.aborted) return
    if (!isReachable) timer = setTimeout(check, retryMs)
    setOfflineMeta(!isReachable)
    if (isReachable !== lastReported) report((lastReported = isReachable))
  }
  addEventListener('online', check, { signal })
  addEventListener('offline', check, { signal })
  if (findOfflineMeta() || !navigator.onLine) void check()
  return () => {
    clearTimeout(timer)
    ended.abort()
  }
}

function isSiteReachable(signal: AbortSignal): Promise<boolean> {
  const signalOrTimeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  return fetch(getHealth.path, { cache: 'no-store', signal: signalOrTimeout }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/**
 * Returns the meta element that marks an offline page. The server adds it to the document that the service worker
 * caches; `setOfflineMeta` adds and removes it later. While it is present, the toast about a missing connection is not
 * shown, because the banner says the same.
 */
const findOfflineMeta = () => document.querySelector('meta[name=offline]')

function setOfflineMeta(isOffline: boolean): void {
  const meta = findOfflineMeta()
  if (isOffline && !meta)
    document.head.append(Object.assign(document.createElement('meta'), { name: 'offline' }))
  if (!isOffline) meta?.remove()
}
