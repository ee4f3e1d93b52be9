const defaultTimeoutMs = 4000

/**
 * Runs a function once the page has loaded and is idle. In Safari, which has no idle callback, runs it after a delay.
 */
export function whenIdle(work: () => unknown, timeoutMs = defaultTimeoutMs): void {
  const schedule = () => {
    if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: timeoutMs })
    else setTimeout(work, timeoutMs / 2)
  }
  if (document.readyState === 'complete') schedule()
  else addEventListener('load', schedule, { once: true })
}
