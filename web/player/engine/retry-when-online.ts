/**
 * Delays before further retries. The browser reports that it is online before every connection works, so a first retry may
 * fail.
 */
const retryDelaysMs = [1_000, 4_000]

let reconnectCount = 0
addEventListener('online', () => reconnectCount++)

/** Runs a function once, when the connection comes back. @returns a function that cancels it */
export type RetryWhenOnline = (run: () => void) => () => void

/**
 * Creates a function that retries one player's work when the connection returns. If the connection has returned already, the
 * retry runs at once, because a failure may be reported late. Each return allows only a few retries, so that none loops.
 */
export function createOnlineRetry(): RetryWhenOnline {
  let handledReconnects = reconnectCount
  let remainingDelays: number[] = []
  return (run) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const cancel = () => {
      clearTimeout(timer)
      removeEventListener('online', runOnce)
    }
    const runOnce = () => {
      cancel()
      if (reconnectCount > handledReconnects) remainingDelays = [...retryDelaysMs]
      handledReconnects = reconnectCount
      run()
    }
    addEventListener('online', runOnce)
    if (!navigator.onLine) return cancel
    const delay = remainingDelays.shift()
    if (reconnectCount > handledReconnects) runOnce()
    else if (delay !== undefined) timer = setTimeout(runOnce, delay)
    return cancel
  }
}
