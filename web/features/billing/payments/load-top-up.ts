import { getBalance } from '#contract/balance.ts'
import { loadTexts, type Translate } from '#web/i18n/index.ts'
import { call } from '#web/lib/api.ts'
import { topUpChoice } from './balance-copy.ts'
import type { Choice } from './price-copy.ts'

/** Loads a top-up that is on sale, with the words about balances; null if there is none of this id. */
export async function loadTopUp(t: Translate, id: string): Promise<Choice | null> {
  const [{ top_ups }] = await Promise.all([call(getBalance), loadTexts('balance')])
  const topUp = top_ups.find((known) => known.id === id)
  return topUp ? topUpChoice(t, topUp) : null
}
