import { useCallback, useEffect, useRef, useState } from 'react'
import { whenIdle } from '#web/lib/when-idle.ts'
import { hasSpareBandwidth } from '#web/player/engine/bandwidth.ts'
import { hasBuffered, type VideoState } from '#web/player/engine/video-state.ts'

const prepareAnywayAfterMs = 1500
/** The time in ms that the episode on screen must have buffered before its neighbours are prepared. */
const requiredBufferMs = { normal: 6000, fast: 2500 }

/**
 * Decides when the neighbouring episodes are prepared: when the page is idle after the episode on screen has buffered
 * enough, or after 1.5 s in which nothing has played. If they were prepared earlier, they would compete with that
 * episode for bandwidth.
 */
export function usePreloadNeighbours(shownId: string | undefined) {
  const [allowedBy, setAllowedBy] = useState<string>()
  const isPlaying = useRef(false)
  const allow = useCallback(() => whenIdle(() => setAllowedBy(shownId)), [shownId])
  useEffect(() => {
    isPlaying.current = false
    const timer = setTimeout(() => isPlaying.current || allow(), prepareAnywayAfterMs)
    return () => clearTimeout(timer)
  }, [allow])
  const onState = (state: VideoState) => {
    isPlaying.current = true
    if (
      allowedBy !== shownId &&
      hasBuffered(state, hasSpareBandwidth() ? requiredBufferMs.fast : requiredBufferMs.normal)
    )
      allow()
  }
  return { canPreload: allowedBy === shownId, follow: onState }
}
