import type { Plan } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import { isUnpayable } from '#web/features/billing/payments/choices.ts'
import { renewalTerms } from '#web/features/billing/payments/plan-terms.ts'
import type { Translate } from '#web/i18n/index.ts'
import { formatLongDate } from '#web/lib/format.ts'

/** Describes a membership: the plan, its end, the renewal or next plan, and a failed payment. */
export function membershipText(t: Translate, membership: Membership): string {
  const {
    plan,
    next_plan,
    owed,
    status,
    grace_until,
    renews_at,
    ends_at,
    cancel_at_period_end: cancelled,
  } = membership
  if (!plan) return ''
  const { name, currency } = plan
  if (membership.method_detached) {
    if (status === 'past_due')
      return t('shopping.pastDueMethodRemoved', {
        name: owed?.name ?? name,
        date: formatLongDate(grace_until),
      })
    return t('shopping.methodRemoved', { name, date: formatLongDate(ends_at) })
  }
  if (status === 'past_due') {
    const pastDueKey = owed && isUnpayable(owed) ? 'shopping.pastDueUnsupported' : 'shopping.pastDue'
    return t(cancelled ? 'shopping.pastDueEnds' : pastDueKey, {
      name: owed?.name ?? name,
      date: formatLongDate(grace_until),
    })
  }
  if (cancelled) return t('shopping.ends', { name, date: formatLongDate(ends_at) })
  const renews = t('shopping.renews', { name, date: formatLongDate(renews_at) })
  // Data that an earlier release stored in the browser has no price.
  if (!currency) return renews
  if (!next_plan) return `${renews} ${renewalTerms(t, plan)}`
  return `${nextPlanText(t, name, renews_at, next_plan)} ${renewalTerms(t, next_plan)}`
}

/**
 * Describes a change of plan: when the current plan ends, when the new plan is charged, and that nothing is charged
 * now.
 */
export function planChangeText(t: Translate, plan: Plan, membership: Membership): string {
  const { plan: currentPlan, renews_at, ends_at, cancel_at_period_end: cancelled } = membership
  return [
    nextPlanText(t, currentPlan?.name ?? '', renews_at ?? ends_at, plan),
    renewalTerms(t, plan),
    t('shopping.notChargedNow'),
    cancelled ? t('shopping.alsoResumes') : '',
    t('pay.cancelAnyTime'),
  ]
    .filter(Boolean)
    .join(' ')
}

function nextPlanText(t: Translate, name: string, at: string | null, next: { name: string }): string {
  const date = formatLongDate(at)
  return `${t('shopping.paid', { name, date })} ${t('shopping.nextPlanStarts', { name: next.name, date })}`
}
