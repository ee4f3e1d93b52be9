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
  const report = useRef((event: PlaybackEvent) => {
    if (event.kind !== 'error' && sent.current++ >= maxEvents) return
    const [name, fields] = toSiteEvent(event)
    const textFields = Object.entries(fields).map(([field, value]) => [field, String(value)])
    sendEvent(name, { episode_id: episodeId, ...Object.fromEntries(textFields) })
  })
  useEffect(() => (video && active ? measurePlayback(video, report.current) : undefined), [video, active])
  useEffect(() => {
    if (active && failure) report.current({ kind: 'error', what: failure })
  }, [active, failure])
}

/** Returns the name and fields of an event as docs/playback.md describes them. Operators query them, so they stay. */
function toSiteEvent(event: PlaybackEvent): [name: string, fields: Record<string, string | number>] {
  if (event.kind === 'start') {
    const { ms, startedBy: way, height, player } = event
    return ['play_start', { ms, way, height, player: player === 'native' ? 'own' : player }]
  }
  if (event.kind === 'rendition') return ['play_rung', { from: event.fromHeight, height: event.height }]
  const { kind, ...fields } = event
  return [`play_${kind}`, fields]
}
