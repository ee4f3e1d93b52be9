import { useEffect } from 'react'
import { preferences, usePreferences } from './preferences.ts'

/** Plays while `active`, rests while not, with the viewer's sound and speed. Where sound needs a tap first, it starts muted. */
export function usePlaying(video: HTMLVideoElement | null, active: boolean): void {
  const { muted, silenced, rate } = usePreferences()
  useEffect(() => {
    if (video) video.muted = muted || silenced
  }, [video, muted, silenced])
  useEffect(() => {
    if (!video) return
    video.defaultPlaybackRate = rate
    video.playbackRate = rate
  }, [video, rate])
  useEffect(() => {
    if (!video) return
    if (active) void play(video)
    else video.pause()
  }, [video, active])
}

/** Starts a video; refused for its sound, it starts without. */
export async function play(video: HTMLVideoElement): Promise<void> {
  try {
    await video.play()
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'NotAllowedError' || video.muted) return
    preferences.set({ silenced: true })
    video.muted = true
    await video.play().catch(() => {})
  }
}
