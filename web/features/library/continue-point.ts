import type { HistoryEntry } from '#contract/library.ts'

/** An episode counts as finished after this share of it, because the credits follow. The server uses the same share. */
const finishedThreshold = 0.9

/** Where a viewer continues a drama: the number of the episode, and its watched share from 0 to 1. */
export interface ContinuePoint {
  number: number
  watched: number
}

/**
 * Returns where the viewer continues a drama. This is the next episode if the last one is finished. Undefined if the
 * viewer has finished the drama.
 */
export function continuePointOf({ video, episode, position_ms }: HistoryEntry): ContinuePoint | undefined {
  const watched = episode.duration_ms ? position_ms / episode.duration_ms : 0
  if (watched < finishedThreshold) return { number: episode.number, watched }
  return episode.number < video.episode_count ? { number: episode.number + 1, watched: 0 } : undefined
}
