import { useCallback, useEffect, useRef, useState } from 'react'
import { whenIdle } from '#web/lib/when-idle.ts'
import { isAmple } from '#web/player/engine/bandwidth.ts'
import { isAhead, type VideoState } from '#web/player/engine/video-state.ts'

const nothingPlaysAfterMs = 1500
/** Buffered time of the episode on screen after which its neighbours are prepared. */
const aheadMs = { usual: 6000, ample: 2500 }

/**
 * Prepares the neighbouring episodes in an idle moment, once the episode on screen has kept enough buffered for a while, or if
 * nothing plays. On a slow connection they would compete with it for bandwidth.
 */
export function useNeighbours(shownId: string | undefined) {
  const [allowedBy, setAllowedBy] = useState<string>()
  const plays = useRef(false)
  const allow = useCallback(() => whenIdle(() => setAllowedBy(shownId)), [shownId])
  useEffect(() => {
    plays.current = false
    const timer = setTimeout(() => plays.current || allow(), nothingPlaysAfterMs)
    return () => clearTimeout(timer)
  }, [allow])
  const follow = (state: VideoState) => {
    plays.current = true
    if (allowedBy !== shownId && isAhead(state, isAmple() ? aheadMs.ample : aheadMs.usual)) allow()
  }
  return { mayCome: allowedBy === shownId, follow }
}
