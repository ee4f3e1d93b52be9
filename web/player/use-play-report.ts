import { useEffect, useRef } from 'react'
import { sendEvent } from '#web/lib/events.ts'
import type { Trouble } from './stream.ts'
import { watchPlay, type PlayEvent } from './watch-play.ts'

/** Beyond this an episode is known to go badly. */
const mostEvents = 20

interface Shown {
  episodeId: string
  active: boolean
  failure: Trouble | null
}

/** Tells how the episode on screen plays, as the site's own events `play_start`, `play_stall`, `play_rung` and `play_error`. */
export function usePlayReport(video: HTMLVideoElement | null, { episodeId, active, failure }: Shown): void {
  const told = useRef(0)
  const tell = useRef(({ kind, ...fields }: PlayEvent) => {
    if (kind !== 'error' && told.current++ >= mostEvents) return
    const texts = Object.entries(fields).map(([name, value]) => [name, String(value)])
    sendEvent(`play_${kind}`, { episode_id: episodeId, ...Object.fromEntries(texts) })
  })
  useEffect(() => (video && active ? watchPlay(video, tell.current) : undefined), [video, active])
  useEffect(() => {
    if (active && failure) tell.current({ kind: 'error', what: failure })
  }, [active, failure])
}
