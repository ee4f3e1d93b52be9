import { getHealth } from '#contract/operations.ts'

const retryMs = 5000
const timeoutMs = 5000

/**
 * Reports when the site becomes unreachable and when it is reachable again. The browser's online state is only a hint, because it
 * describes the network and not the site; so is a document from the service worker's cache. Only a response of the site counts.
 * @returns a function that stops watching
 */
export function watchConnection(report: (isReachable: boolean) => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let timer: ReturnType<typeof setTimeout> | undefined
  // Behind the cached shell the connection is unknown, and earlier calls may have failed.
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

/** The cached shell contains this meta element, written by the server. While the line is shown, no toast repeats it. */
const findOfflineMeta = () => document.querySelector('meta[name=offline]')

function setOfflineMeta(isOffline: boolean): void {
  const meta = findOfflineMeta()
  if (isOffline && !meta)
    document.head.append(Object.assign(document.createElement('meta'), { name: 'offline' }))
  if (!isOffline) meta?.remove()
}
