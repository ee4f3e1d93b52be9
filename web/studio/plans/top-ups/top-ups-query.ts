import { queryOptions } from '@tanstack/react-query'
import { listTopUps, type StudioTopUp } from '#contract/studio/top-ups.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'

/** All top-ups. There are too few to paginate. */
export const topUpsQuery = queryOptions({
  queryKey: ['top-ups'],
  queryFn: ({ signal }) => call(listTopUps, { signal }),
})

export const topUpsPath = '/studio/plans/top-ups'

/** Returns the name of a top-up, made from its price and bonus: "$10.00 + $1.00". */
export function topUpName({ price_cents, bonus_cents, currency }: StudioTopUp): string {
  const price = money(price_cents, currency)
  return bonus_cents > 0 ? `${price} + ${money(bonus_cents, currency)}` : price
}
