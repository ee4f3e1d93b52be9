import type { DropOff } from '#contract/studio/funnel.ts'

/** What the viewers of each episode are a part of: a link may lead past the first, which fewer have begun then than another. */
export const mostBegan = (rows: readonly Pick<DropOff, 'began'>[]): number =>
  Math.max(0, ...rows.map(({ began }) => began))
