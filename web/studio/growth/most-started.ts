import type { DropOff } from '#contract/studio/funnel.ts'

/** Returns the number that each episode's viewers are a share of: the maximum, because a link may skip the first episode. */
export const mostStarted = (rows: readonly Pick<DropOff, 'started'>[]): number =>
  Math.max(0, ...rows.map(({ started }) => started))
