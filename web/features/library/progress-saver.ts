import { saveHistory } from '#contract/library.ts'
import { call } from '#web/lib/api.ts'

/** How often a position is kept while an episode plays. */
const everyMs = 5_000

export interface Place {
  videoId: string
  episodeId: string
  positionMs: number
}

type Send = (place: Place, at: Date, last: boolean) => void

/**
 * Keeps where the viewer is: every 5 s while playing, and at once when something ends (`flush`: pause, hiding the page,
 * another episode). A place that was already sent is not sent again.
 */
export function progressSaver(send: Send = sendPlace, now: () => Date = () => new Date()) {
  let place: Place | null = null
  let sent: Place | null = null
  let sentAt = -Infinity
  function flush(last = false) {
    if (!place || samePlace(place, sent)) return
    const at = now()
    send(place, at, last)
    sent = place
    sentAt = at.getTime()
  }
  return {
    /** The playing episode has come this far. */
    at(next: Place) {
      if (place && place.episodeId !== next.episodeId) flush()
      place = next
      if (now().getTime() - sentAt >= everyMs) flush()
    },
    flush,
  }
}

function samePlace(one: Place, other: Place | null): boolean {
  return one.episodeId === other?.episodeId && Math.abs(one.positionMs - other.positionMs) < 500
}

function sendPlace({ videoId, episodeId, positionMs }: Place, at: Date, last: boolean): void {
  const body = {
    video_id: videoId,
    episode_id: episodeId,
    position_ms: Math.round(positionMs),
    at: at.toISOString(),
  }
  call(saveHistory, { body, keepalive: last }).catch(() => {})
}
