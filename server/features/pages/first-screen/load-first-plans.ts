import type { listPlans } from '#contract/billing.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import type { Language } from '#contract/languages.ts'
import { loadPlans } from '#server/features/billing/billing.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'

export type FirstPlansContext = Parameters<typeof loadPlans>[0] & { clock: Clock }

/** Data of the plan page's first screen, which is the same for all viewers. */
export interface FirstPlans {
  language: Language
  plans: ResultOf<typeof listPlans>
}

/**
 * Creates a function that loads the plans in a language, as GET /api/plan returns them. It returns undefined if the
 * database is down. The browser then calls the API and shows the error.
 */
export function createFirstPlansLoader(context: FirstPlansContext) {
  const plans = createResponseCache<FirstPlans>(context.clock, { stale: true })
  const load = async (language: Language) => ({ language, plans: await loadPlans(context, language) })
  return (language: Language): Promise<FirstPlans | undefined> =>
    plans.get(language, () => load(language)).catch(() => undefined)
}
