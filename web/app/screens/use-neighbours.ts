import { useCallback, useEffect, useRef, useState } from 'react'
import { whenIdle } from '#web/lib/when-idle.ts'
import { isAmple } from '#web/player/engine/bandwidth.ts'
import { isAhead, type VideoState } from '#web/player/engine/video-state.ts'

const nothingPlaysAfterMs = 1500
/** How much the episode on screen holds before its neighbours are prepared. */
const aheadMs = { usual: 6000, ample: 2500 }

/**
 * Neighbours are prepared in a quiet moment once the episode on screen holds enough for a while, or where nothing plays. On a
 * thin connection they would take what it needs.
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
