import { useEffect, useLayoutEffect } from 'react'
import { play } from '#web/player/engine/play.ts'
import { usePreferences } from './use-preferences.ts'

/**
 * Plays the video while `active` and pauses it otherwise, with the viewer's volume and speed. Starts muted if the
 * browser does not allow sound without a tap.
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
