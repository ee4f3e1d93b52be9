import { useEffect } from 'react'
import { play } from '#web/player/engine/play.ts'
import type { Stream } from '#web/player/engine/stream.ts'

/**
 * In the background the episode pauses, unless it plays in a window of its own, and nothing is fetched for what does not play.
 * Whoever plays it from the lock screen hears it go on.
 */
export function useBackground(stream: Stream | null, active: boolean): void {
  useEffect(() => {
    if (!stream) return
    const { video } = stream
    let pausedHere = false
    const restUnlessPlaying = () => stream.rest(document.hidden && video.paused)
    const notePlaying = () => {
      pausedHere = false
      restUnlessPlaying()
    }
    restUnlessPlaying()
    const follow = () => {
      const isApart = document.pictureInPictureElement === video
      if (document.hidden && active && !video.paused && !isApart) {
        pausedHere = true
        video.pause()
      } else if (!document.hidden && pausedHere) {
        pausedHere = false
        if (active) void play(video)
      }
      restUnlessPlaying()
    }
    document.addEventListener('visibilitychange', follow)
    video.addEventListener('play', notePlaying)
    video.addEventListener('pause', restUnlessPlaying)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      video.removeEventListener('play', notePlaying)
      video.removeEventListener('pause', restUnlessPlaying)
    }
  }, [stream, active])
}

/** Runs at once, or when the page is on screen again. @returns what calls it off */
export function whenVisible(run: () => void): () => void {
  if (!document.hidden) {
    run()
    return () => {}
  }
  const follow = () => {
    if (!document.hidden) run()
  }
  document.addEventListener('visibilitychange', follow, { once: true })
  return () => document.removeEventListener('visibilitychange', follow)
}
