import { getHealth } from '#contract/operations.ts'

const againMs = 5000
const patienceMs = 5000

/**
 * Reports when the site becomes unreachable and when it is reachable again. The browser's online state is only a hint, because it
 * describes the network and not the site; so is a document from the service worker's cache. Only a response of the site counts.
 * @returns a function that stops watching
 */
export function watchConnection(report: (reached: boolean) => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let timer: ReturnType<typeof setTimeout> | undefined
  // Behind the cached shell the connection is unknown, and earlier calls may have failed.
  let last = findMark() ? undefined : true
  const look = async () => {
    clearTimeout(timer)
    const reached = await answers(signal)
    if (signal.aborted) return
    if (!reached) timer = setTimeout(look, againMs)
    markDocument(!reached)
    if (reached !== last) report((last = reached))
  }
  addEventListener('online', look, { signal })
  addEventListener('offline', look, { signal })
  if (findMark() || !navigator.onLine) void look()
  return () => {
    clearTimeout(timer)
    ended.abort()
  }
}

function answers(signal: AbortSignal): Promise<boolean> {
  const given = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  return fetch(getHealth.path, { cache: 'no-store', signal: given }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** The cached shell contains this meta element, written by the server. While the line is shown, no toast repeats it. */
const findMark = () => document.querySelector('meta[name=offline]')

function markDocument(away: boolean): void {
  const mark = findMark()
  if (away && !mark) document.head.append(Object.assign(document.createElement('meta'), { name: 'offline' }))
  if (!away) mark?.remove()
}
