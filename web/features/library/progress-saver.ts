import { saveHistory } from '#contract/library.ts'
import { call } from '#web/lib/api.ts'

/** Interval at which a position is saved during playback. */
const saveIntervalMs = 15_000
/** A larger step between two reported positions is a seek, not playback. */
const seekThresholdMs = 3_000
/** After a seek the position is saved at most this often, because dragging the progress bar seeks continuously. */
const seekSaveIntervalMs = 1_000

export interface WatchPosition {
  videoId: string
  episodeId: string
  positionMs: number
}

type Send = (position: WatchPosition, at: Date) => Promise<unknown>

/**
 * Saves the viewer's position when an episode starts, after a seek, every 15 s during playback, and on `flush` (pause,
 * page hidden). A new episode replaces the position in the previous episode, because a video has only one position. The
 * same position is not sent twice. `flush` resolves when the server has responded to the last position.
 */
export function createProgressSaver(send: Send = sendPosition, now: () => Date = () => new Date()) {
  let position: WatchPosition | null = null
  let lastSent: WatchPosition | null = null
  let lastSentAt = -Infinity
  let waitMs = saveIntervalMs
  let lastRequest: Promise<unknown> = Promise.resolve()
  function flush(): Promise<unknown> {
    if (!position || isSamePosition(position, lastSent)) return lastRequest
    const at = now()
    lastRequest = send(position, at)
    lastSent = position
    lastSentAt = at.getTime()
    waitMs = saveIntervalMs
    return lastRequest
  }
  return {
    /** Reports the current position of the episode on screen. */
    report(next: WatchPosition) {
      const isNewEpisode = position?.episodeId !== next.episodeId
      if (position && Math.abs(next.positionMs - position.positionMs) > seekThresholdMs)
        waitMs = seekSaveIntervalMs
      position = next
      if (isNewEpisode || now().getTime() - lastSentAt >= waitMs) void flush()
    },
    flush,
  }
}

function isSamePosition(one: WatchPosition, other: WatchPosition | null): boolean {
  return one.episodeId === other?.episodeId && Math.abs(one.positionMs - other.positionMs) < 500
}

function sendPosition({ videoId, episodeId, positionMs }: WatchPosition, at: Date): Promise<unknown> {
  const body = {
    video_id: videoId,
    episode_id: episodeId,
    position_ms: Math.round(positionMs),
    at: at.toISOString(),
  }
  return call(saveHistory, { body, keepalive: true }).catch(() => {})
}
