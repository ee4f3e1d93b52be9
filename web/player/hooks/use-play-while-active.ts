import { useEffect, useLayoutEffect } from 'react'
import { play } from '#web/player/engine/play.ts'
import { usePreferences } from './use-preferences.ts'

/**
 * Plays while `active` and pauses otherwise, with the viewer's volume and speed. Starts muted if the browser requires a tap for
 * sound.
 */
export function usePlayWhileActive(video: HTMLVideoElement | null, active: boolean): void {
  const { muted, mutedByBrowser, volume, rate } = usePreferences()
  useLayoutEffect(() => {
    if (video) video.muted = muted || mutedByBrowser
  }, [video, muted, mutedByBrowser])
  useLayoutEffect(() => {
    if (video) video.volume = volume
  }, [video, volume])
  useEffect(() => {
    if (!video) return
    video.defaultPlaybackRate = rate
    video.playbackRate = rate
  }, [video, rate])
  useLayoutEffect(() => {
    if (!video) return
    if (active) void play(video)
    else video.pause()
  }, [video, active])
}
