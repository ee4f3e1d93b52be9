import type { HistoryEntry } from '#contract/library.ts'

/**
 * An episode counts as finished after this share of its duration, because the credits follow. The server uses the same
 * share.
 */
const finishedThreshold = 0.9

/** Where a viewer continues a drama: the number of the episode, and its watched share from 0 to 1. */
export interface ContinuePoint {
  number: number
  watched: number
}

/**
 * Returns where the viewer continues a drama. After a finished episode, this is the start of the next playable episode,
 * or undefined if none follows.
 */
export function continuePointOf({
  episode,
  position_ms,
  next_number,
}: HistoryEntry): ContinuePoint | undefined {
  const watched = episode.duration_ms ? position_ms / episode.duration_ms : 0
  if (watched < finishedThreshold) return { number: episode.number, watched }
  return next_number ? { number: next_number, watched: 0 } : undefined
}
