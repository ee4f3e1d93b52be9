import type { ReactNode } from 'react'
import type { Source } from '#web/player/engine/player.ts'
import type { VideoState } from '#web/player/engine/video-state.ts'
import type { Caption } from '#web/player/hooks/use-captions.ts'
import type { SlideCommands } from '#web/player/hooks/use-commands.ts'

export interface VideoSlideProps {
  episodeId: string
  source: Source & { captions: Caption[]; storyboard_url: string }
  startMs: number
  active: boolean
  title: string
  subtitle: string
  /** The page's buttons, shown above the player's own buttons. */
  rail: ReactNode
  /** The page's back button, at the top on phones. */
  back: ReactNode
  onDoubleTap: () => void
  register: (commands: SlideCommands | null) => void
  onNext: (() => void) | null
  onPrevious: (() => void) | null
  onShortcuts: () => void
  restoreFocus: (controls: Element) => void
  onExpiring: () => void
  whenScrollEnds: (run: () => void) => () => void
  onEnded: (episodeId: string) => void
  /** Called several times a second during playback. */
  onState: (state: VideoState) => void
}
