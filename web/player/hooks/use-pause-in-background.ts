import { useEffect } from 'react'
import { play } from '#web/player/engine/play.ts'
import type { Stream } from '#web/player/engine/stream.ts'

/**
 * Pauses the episode when the page goes into the background, except in picture-in-picture. Suspends loading while a
 * hidden page is paused. Playback that the user starts from the lock screen continues.
 */
export function usePauseInBackground(stream: Stream | null, active: boolean): void {
  useEffect(() => {
    if (!stream) return
    const { video } = stream
    let isPausedByHiding = false
    const suspendUnlessPlaying = () => stream.setSuspended(document.hidden && video.paused)
    const onPlay = () => {
      isPausedByHiding = false
      suspendUnlessPlaying()
    }
    suspendUnlessPlaying()
    const onVisibilityChange = () => {
      const isInPictureInPicture = document.pictureInPictureElement === video
      if (document.hidden && active && !video.paused && !isInPictureInPicture) {
        isPausedByHiding = true
        video.pause()
      } else if (!document.hidden && isPausedByHiding) {
        isPausedByHiding = false
        if (active) void play(video)
      }
      suspendUnlessPlaying()
    }
    document.addEventListener('visibilitychange', onVisibilityChange)
    video.addEventListener('play', onPlay)
    video.addEventListener('pause', suspendUnlessPlaying)
    return () => {
      document.removeEventListener('visibilitychange', onVisibilityChange)
      video.removeEventListener('play', onPlay)
      video.removeEventListener('pause', suspendUnlessPlaying)
    }
  }, [stream, active])
}

/** Runs a function at once if the page is visible, else when it becomes visible. @returns a function that cancels it */
export function whenVisible(run: () => void): () => void {
  if (!document.hidden) {
    run()
    return () => {}
  }
  const onVisibilityChange = () => {
    if (!document.hidden) run()
  }
  document.addEventListener('visibilitychange', onVisibilityChange, { once: true })
  return () => document.removeEventListener('visibilitychange', onVisibilityChange)
}
