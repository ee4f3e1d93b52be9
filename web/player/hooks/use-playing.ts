import { useEffect, useLayoutEffect } from 'react'
import { play } from '#web/player/engine/play.ts'
import { usePreferences } from './use-preferences.ts'

/** Plays while `active`, rests while not, with the viewer's sound and speed. Where sound needs a tap first, it starts muted. */
export function usePlaying(video: HTMLVideoElement | null, active: boolean): void {
  const { muted, silenced, volume, rate } = usePreferences()
  useLayoutEffect(() => {
    if (video) video.muted = muted || silenced
  }, [video, muted, silenced])
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
