import type { Language } from '#contract/languages.ts'
import type { Membership } from '#contract/members.ts'
import { money } from '#web/lib/money.ts'
import type { Say } from '#web/studio/texts.ts'
import { formatTime } from '#web/studio/format.ts'

/** A customer's subscription status in a sentence. */
export function membershipText(
  { plan, status, renews_at, ends_at, grace_until }: Membership,
  t: Say,
  language: Language,
): string {
  if (!plan) return t('people.noPlan')
  const name = `${plan.name}, ${money(plan.price_cents, plan.currency)}`
  if (status === 'past_due') return t('people.planDue', { plan: name, at: formatTime(grace_until, language) })
  if (renews_at) return t('people.planRenews', { plan: name, at: formatTime(renews_at, language) })
  return t('people.planEnds', { plan: name, at: formatTime(ends_at, language) })
}
