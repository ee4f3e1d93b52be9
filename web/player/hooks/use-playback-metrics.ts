import { useEffect, useRef } from 'react'
import { sendEvent } from '#web/lib/tracking/events.ts'
import type { PlayerError } from '#web/player/engine/player.ts'
import { measurePlayback, type PlaybackEvent } from '#web/player/engine/playback-metrics.ts'

/** The maximum number of events per episode, errors excluded; more would add no information. */
const maxEvents = 20

interface PlaybackMetricsOptions {
  episodeId: string
  active: boolean
  failure: PlayerError | null
}

/**
 * Reports the playback of the episode on screen to the site: `play_start`, `play_stall`, `play_rung` and `play_error`.
 */
export function usePlaybackMetrics(
  video: HTMLVideoElement | null,
  { episodeId, active, failure }: PlaybackMetricsOptions,
): void {
  const sent = useRef(0)
  const report = useRef(({ kind, ...fields }: PlaybackEvent) => {
    if (kind !== 'error' && sent.current++ >= maxEvents) return
    const textFields = Object.entries(fields).map(([name, value]) => [name, String(value)])
    sendEvent(`play_${kind}`, { episode_id: episodeId, ...Object.fromEntries(textFields) })
  })
  useEffect(() => (video && active ? measurePlayback(video, report.current) : undefined), [video, active])
  useEffect(() => {
    if (active && failure) report.current({ kind: 'error', what: failure })
  }, [active, failure])
}
