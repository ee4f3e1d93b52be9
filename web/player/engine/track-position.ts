/**
 * A video's position and whether it plays. Both stay valid while the element changes its source, although the element
 * itself then reports that it is paused at 0.
 */
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
  // An error also pauses the element, but playback is to continue after a retry.
  listen('pause', () => (position.isPlaying = video.error ? position.isPlaying : false))
  return position
}
