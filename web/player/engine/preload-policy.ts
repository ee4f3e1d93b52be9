import type Hls from 'hls.js'
import { shouldSaveData } from './bandwidth.ts'

/** A stream that is not on screen buffers this many seconds, in the highest rendition that fits into `preloadBytes`. */
export const preloadSeconds = 4
const preloadBytes = { normal: 1_500_000, saveData: 400_000 }

/**
 * Returns the index of the highest rendition whose first seconds fit into the byte limit for preloading. If none fits,
 * returns the index of the lowest rendition.
 */
export function highestPreloadLevel({ levels }: Hls): number {
  const bytes = shouldSaveData() ? preloadBytes.saveData : preloadBytes.normal
  const highest = levels.findLastIndex(({ bitrate }) => (bitrate / 8) * preloadSeconds <= bytes)
  return Math.max(0, highest)
}
