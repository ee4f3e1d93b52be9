import { saveHistory } from '#contract/library.ts'
import { call } from '#web/lib/api.ts'

/** How often a position is kept while an episode plays. */
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
 * Keeps where the viewer is: at once where an episode begins and after a jump, every 15 s while it plays, and at once when something
 * ends (`flush`: pause, hiding the page). A video has one place, so the one in the episode before needs no more keeping. A place
 * that was already sent is not sent again. `flush` resolves once the server has answered for the last place sent.
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
    /** The playing episode has come this far. */
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
