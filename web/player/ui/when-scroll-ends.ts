/** On high-density screens the feed may rest between two CSS pixels. */
const tolerancePx = 1

/**
 * Runs a function at once if the feed rests at a slide, else when the swipe has ended. A step during a swipe would
 * scroll one slide too far.
 * @returns a function that cancels it
 */
export function whenScrollEnds(feed: HTMLElement, run: () => void): () => void {
  if (isAtSlide(feed)) {
    run()
    return () => {}
  }
  // Polls, because Safari has no scrollend event.
  let frame = requestAnimationFrame(function checkAgain() {
    if (isAtSlide(feed)) run()
    else frame = requestAnimationFrame(checkAgain)
  })
  return () => cancelAnimationFrame(frame)
}

function isAtSlide({ scrollTop, clientHeight }: HTMLElement): boolean {
  if (clientHeight === 0) return true
  const offset = scrollTop % clientHeight
  return Math.min(offset, clientHeight - offset) <= tolerancePx
}
