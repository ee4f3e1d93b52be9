import { saveHistory } from '#contract/library.ts'
import { call } from '#web/lib/api.ts'

/** Interval at which a position is saved during playback. */
const everyMs = 15_000
/** A larger step between two reports is a seek, not playback. */
const jumpMs = 3_000
/** Dragging along the progress bar seeks continuously. */
const betweenJumpsMs = 1_000

export interface Place {
  videoId: string
  episodeId: string
  positionMs: number
}

type Send = (place: Place, at: Date) => Promise<unknown>

/**
 * Saves the viewer's position: at once when an episode starts and after a seek, every 15 s during playback, and on `flush` (pause,
 * or the page is hidden). A video has one position, so the previous episode's is not saved again. A position that was sent already
 * is not sent twice. `flush` resolves once the server has responded to the last position sent.
 */
export function progressSaver(send: Send = sendPlace, now: () => Date = () => new Date()) {
  let place: Place | null = null
  let sent: Place | null = null
  let sentAt = -Infinity
  let pauseMs = everyMs
  let answered: Promise<unknown> = Promise.resolve()
  function flush(): Promise<unknown> {
    if (!place || samePlace(place, sent)) return answered
    const at = now()
    answered = send(place, at)
    sent = place
    sentAt = at.getTime()
    pauseMs = everyMs
    return answered
  }
  return {
    /** Reports the position of the playing episode. */
    at(next: Place) {
      const begins = place?.episodeId !== next.episodeId
      if (place && Math.abs(next.positionMs - place.positionMs) > jumpMs) pauseMs = betweenJumpsMs
      place = next
      if (begins || now().getTime() - sentAt >= pauseMs) void flush()
    },
    flush,
  }
}

function samePlace(one: Place, other: Place | null): boolean {
  return one.episodeId === other?.episodeId && Math.abs(one.positionMs - other.positionMs) < 500
}

function sendPlace({ videoId, episodeId, positionMs }: Place, at: Date): Promise<unknown> {
  const body = {
    video_id: videoId,
    episode_id: episodeId,
    position_ms: Math.round(positionMs),
    at: at.toISOString(),
  }
  return call(saveHistory, { body, keepalive: true }).catch(() => {})
}
