/**
 * Delays between the retries after a reconnect. The `online` event may fire before connections work, so the first retry
 * may fail.
 */
const retryDelaysMs = [1_000, 4_000]

let reconnectCount = 0
addEventListener('online', () => reconnectCount++)

/** Runs a function once when the browser is online again. @returns a function that cancels it */
export type RetryWhenOnline = (run: () => void) => () => void

/**
 * Creates a retry function for one player. It retries at once if the browser came online again before the failure was
 * reported, because failures may be reported late. Each reconnect allows a limited number of retries.
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
