import type { DropOff } from '#contract/studio/funnel.ts'

/** The number that each episode's viewers are a share of: the largest, because a link may lead past the first episode. */
export const mostBegan = (rows: readonly Pick<DropOff, 'began'>[]): number =>
  Math.max(0, ...rows.map(({ began }) => began))
