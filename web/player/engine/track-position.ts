/** A video's position and whether it plays. Also valid while the element has no source or a new one, and reports 0 and paused. */
export interface TrackedPosition {
  seconds: number
  isPlaying: boolean
}

/** Tracks a video until the signal aborts. @param startSeconds its initial position */
export function trackPosition(
  video: HTMLVideoElement,
  startSeconds: number,
  signal: AbortSignal,
): TrackedPosition {
  const position: TrackedPosition = { seconds: video.currentTime || startSeconds, isPlaying: !video.paused }
  const listen = (event: string, handler: () => void) => video.addEventListener(event, handler, { signal })
  listen('timeupdate', () => {
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) position.seconds = video.currentTime
  })
  listen('play', () => (position.isPlaying = true))
  // An error pauses the element too.
  listen('pause', () => (position.isPlaying = video.error ? position.isPlaying : false))
  return position
}
