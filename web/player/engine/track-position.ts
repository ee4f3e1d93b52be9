/** Where a video is and whether it plays, also while its element has no source or a new one, which says 0 and paused. */
export interface TrackedPosition {
  seconds: number
  isPlaying: boolean
}

/** Follows a video until the signal. @param startSeconds where it starts */
export function trackPosition(
  video: HTMLVideoElement,
  startSeconds: number,
  signal: AbortSignal,
): TrackedPosition {
  const position: TrackedPosition = { seconds: video.currentTime || startSeconds, isPlaying: !video.paused }
  const listen = (event: string, note: () => void) => video.addEventListener(event, note, { signal })
  listen('timeupdate', () => {
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) position.seconds = video.currentTime
  })
  listen('play', () => (position.isPlaying = true))
  // An error pauses too.
  listen('pause', () => (position.isPlaying = video.error ? position.isPlaying : false))
  return position
}
