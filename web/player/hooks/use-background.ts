import { useEffect } from 'react'
import { play } from '#web/player/engine/play.ts'
import type { Stream } from '#web/player/engine/stream.ts'

/**
 * Pauses the episode in the background unless it is in picture-in-picture, and stops fetching for paused streams. Playback started
 * from the lock screen continues.
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

/** Runs at once, or when the page is visible again. @returns a function that cancels it */
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
