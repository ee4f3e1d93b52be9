import { useEffect } from 'react'
import type { SlideCommands } from './use-commands.ts'
import type { PlayState } from '#web/player/engine/video-state.ts'

interface MediaSessionOptions {
  active: boolean
  title: string
  subtitle: string
  poster: string
  state: PlayState
  commands: SlideCommands
  onNext: (() => void) | null
  onPrevious: (() => void) | null
}

/** Connects the system's media controls (lock screen, headphones, keyboard) to the episode on screen. */
export function useMediaSession(video: HTMLVideoElement | null, options: MediaSessionOptions): void {
  const { active, title, subtitle, poster, state, commands, onNext, onPrevious } = options
  const session = active && video ? navigator.mediaSession : undefined
  useEffect(() => {
    if (!session) return
    session.metadata = new MediaMetadata({ title: subtitle, artist: title, artwork: [{ src: poster }] })
    return () => {
      session.metadata = null
    }
  }, [session, title, subtitle, poster])
  useEffect(() => {
    if (!session) return
    const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler | null>> = {
      seekbackward: ({ seekOffset }) => commands.seekBy(-(seekOffset ?? 10)),
      seekforward: ({ seekOffset }) => commands.seekBy(seekOffset ?? 10),
      seekto: ({ seekTime }) => seekTime !== undefined && commands.seekTo(seekTime * 1000),
      nexttrack: onNext,
      previoustrack: onPrevious,
    }
    const set = (action: string, handler: MediaSessionActionHandler | null) => {
      try {
        session.setActionHandler(action as MediaSessionAction, handler)
      } catch {
        // This browser does not support the action.
      }
    }
    for (const [action, handler] of Object.entries(handlers)) set(action, handler)
    return () => {
      for (const action of Object.keys(handlers)) set(action, null)
    }
  }, [session, commands, onNext, onPrevious])
  const { durationMs, paused } = state
  useEffect(() => {
    if (!session || !video || !durationMs) return
    session.playbackState = paused ? 'paused' : 'playing'
    const update = () =>
      session.setPositionState?.({
        duration: durationMs / 1000,
        position: Math.min(video.currentTime, durationMs / 1000),
        playbackRate: video.playbackRate,
      })
    update()
    for (const event of ['seeked', 'ratechange']) video.addEventListener(event, update)
    return () => {
      for (const event of ['seeked', 'ratechange']) video.removeEventListener(event, update)
      session.playbackState = 'none'
      session.setPositionState?.()
    }
  }, [session, video, durationMs, paused])
}
