const lookEveryMs = 1000

/**
 * Tells of a video that should play and has neither moved nor been given anything more to play for so long: whatever the player
 * still tries, to the person it stands still. @returns what ends it
 */
export function watchStandstill(video: HTMLVideoElement, afterMs: number, tell: () => void): () => void {
  let before = ''
  let since = 0
  const look = () => {
    const { currentTime, buffered, paused, ended } = video
    const now = performance.now()
    const state = `${currentTime} ${buffered.length > 0 ? buffered.end(buffered.length - 1) : 0}`
    if (paused || ended || state !== before) {
      before = state
      since = now
    } else if (now - since >= afterMs) {
      since = now
      tell()
    }
  }
  const timer = setInterval(look, lookEveryMs)
  return () => clearInterval(timer)
}
