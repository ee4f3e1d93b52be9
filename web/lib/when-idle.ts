const latestMs = 4000

/** Does something once the page has loaded and has a quiet moment. Safari knows no quiet moments: there a while stands for one. */
export function whenIdle(work: () => unknown): void {
  const wait = () => {
    if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: latestMs })
    else setTimeout(work, latestMs / 2)
  }
  if (document.readyState === 'complete') wait()
  else addEventListener('load', wait, { once: true })
}
