import type { DropOff } from '#contract/studio/funnel.ts'

/** The number that each episode's viewers are a share of: the largest, because a link may lead past the first episode. */
export const mostStarted = (rows: readonly Pick<DropOff, 'started'>[]): number =>
  Math.max(0, ...rows.map(({ started }) => started))
