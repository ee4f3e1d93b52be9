import type { listPlans } from '#contract/billing.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import type { Language } from '#contract/languages.ts'
import { loadPlans } from '#server/features/billing/billing.ts'
import { createAnswerCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'

export type FirstPlansContext = Parameters<typeof loadPlans>[0] & { clock: Clock }

/** What the page of plans shows first, the same to everybody. */
export interface FirstPlans {
  language: Language
  plans: ResultOf<typeof listPlans>
}

/** The plans as GET /api/plan gives them. Undefined while the database is away: the page itself says so then. */
export function firstPlansLoader(context: FirstPlansContext) {
  const plans = createAnswerCache<FirstPlans>(context.clock, { stale: true })
  const load = async (language: Language) => ({ language, plans: await loadPlans(context, language) })
  return (language: Language): Promise<FirstPlans | undefined> =>
    plans.get(language, () => load(language)).catch(() => undefined)
}
