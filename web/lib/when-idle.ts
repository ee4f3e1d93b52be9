const usualLatestMs = 4000

/** Runs a function once the page has loaded and is idle; after a delay in Safari, which has no idle callback. */
export function whenIdle(work: () => unknown, latestMs = usualLatestMs): void {
  const wait = () => {
    if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: latestMs })
    else setTimeout(work, latestMs / 2)
  }
  if (document.readyState === 'complete') wait()
  else addEventListener('load', wait, { once: true })
}
