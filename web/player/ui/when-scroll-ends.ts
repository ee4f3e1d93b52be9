/** On high-density screens a slide may rest between two CSS pixels. */
const slackPx = 1

/**
 * Runs at once, or when the feed rests at a slide. A step taken during a swipe would be added to it and lead one slide too far.
 * @returns a function that cancels it
 */
export function whenScrollEnds(feed: HTMLElement, run: () => void): () => void {
  if (isStill(feed)) {
    run()
    return () => {}
  }
  // Safari has no scrollend event.
  let frame = requestAnimationFrame(function look() {
    if (isStill(feed)) run()
    else frame = requestAnimationFrame(look)
  })
  return () => cancelAnimationFrame(frame)
}

function isStill({ scrollTop, clientHeight }: HTMLElement): boolean {
  if (clientHeight === 0) return true
  const off = scrollTop % clientHeight
  return Math.min(off, clientHeight - off) <= slackPx
}
