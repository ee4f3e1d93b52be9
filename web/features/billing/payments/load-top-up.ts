import { getBalance } from '#contract/balance.ts'
import { loadTexts, type Translate } from '#web/i18n/index.ts'
import { call } from '#web/lib/api.ts'
import { topUpChoice } from './balance-copy.ts'
import type { Choice } from './choices.ts'

/** Loads a top-up on sale and the texts about balances; null if no top-up has this id. */
export async function loadTopUp(t: Translate, id: string): Promise<Choice | null> {
  const [{ top_ups }] = await Promise.all([call(getBalance), loadTexts('balance')])
  const topUp = top_ups.find((known) => known.id === id)
  return topUp ? topUpChoice(t, topUp) : null
}
