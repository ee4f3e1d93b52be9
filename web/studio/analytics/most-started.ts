import type { DropOff } from '#contract/studio/funnel.ts'

/**
 * Returns the number of viewers that counts as 100 % in the retention of each episode: the maximum over all episodes,
 * because a link may skip the first episode.
 */
export const mostStarted = (rows: readonly Pick<DropOff, 'started'>[]): number =>
  Math.max(0, ...rows.map(({ started }) => started))
