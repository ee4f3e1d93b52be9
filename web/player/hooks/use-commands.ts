import { useEffect, useMemo } from 'react'
import { preferences } from '#web/player/engine/preferences.ts'
import type { PlayerCommands } from './shortcuts.ts'
import { play } from '#web/player/engine/play.ts'
import type { Caption } from './use-captions.ts'

/** The commands that need the video of one slide. */
export type SlideCommands = Pick<
  PlayerCommands,
  'togglePlay' | 'seekBy' | 'toggleMute' | 'toggleCaptions'
> & {
  seekTo(ms: number): void
}

/** Returns the commands for the slide's video. `register` makes them available to the keyboard shortcuts. */
export function useCommands(
  video: HTMLVideoElement | null,
  captions: { all: Caption[]; shown: Caption | undefined },
  register: ((commands: SlideCommands | null) => void) | null,
): SlideCommands {
  const showsCaptions = captions.shown !== undefined
  const commands = useMemo<SlideCommands>(
    () => ({
      togglePlay: () => {
        if (video?.paused) void play(video)
        else video?.pause()
      },
      seekBy: (seconds) => video && seek(video, video.currentTime + seconds),
      seekTo: (ms) => video && seek(video, ms / 1000),
      toggleMute: () => {
        const { muted, mutedByBrowser } = preferences.get()
        preferences.set({ muted: !(muted || mutedByBrowser), mutedByBrowser: false })
      },
      toggleCaptions: () => preferences.set({ captions: showsCaptions ? null : undefined }),
    }),
    [video, showsCaptions],
  )
  useEffect(() => {
    register?.(commands)
    return () => register?.(null)
  }, [register, commands])
  return commands
}

function seek(video: HTMLVideoElement, seconds: number): void {
  video.currentTime = Math.min(Math.max(0, seconds), video.duration || 0)
}
