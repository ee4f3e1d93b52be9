/** Where a video is and whether it plays, also while its element has no source or a new one, which says 0 and paused. */
export interface Place {
  seconds: number
  isPlaying: boolean
}

/** Follows a video until the signal. @param startSeconds where it starts */
export function followPlace(video: HTMLVideoElement, startSeconds: number, signal: AbortSignal): Place {
  const place: Place = { seconds: video.currentTime || startSeconds, isPlaying: !video.paused }
  const listen = (event: string, note: () => void) => video.addEventListener(event, note, { signal })
  listen('timeupdate', () => {
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) place.seconds = video.currentTime
  })
  listen('play', () => (place.isPlaying = true))
  // An error pauses too.
  listen('pause', () => (place.isPlaying = video.error ? place.isPlaying : false))
  return place
}
