import { textInLanguage, type Language } from '#contract/languages.ts'
import type { Membership } from '#contract/members.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { gatewaysFor } from '#server/features/billing/gateways/gateways.ts'
import { activeUntil } from '#server/features/billing/records/renewals/active-subscription.ts'
import {
  selectActiveSubscription,
  type LiveSubscription,
} from '#server/features/billing/records/renewals/subscription-queries.ts'

const freeMembership: Membership = {
  state: 'free',
  status: null,
  grace_until: null,
  plan: null,
  renews_at: null,
  ends_at: null,
  cancel_at_period_end: false,
  gateway: null,
}

/** Returns a user's membership: the current subscription, which renews or ends at the end of its period, or `free`. */
export async function loadMembership(
  context: Pick<BillingContext, 'gateways' | 'clock'>,
  db: Db,
  viewer: Pick<Viewer, 'userId' | 'isStored'>,
  language: Language,
): Promise<Membership> {
  const now = context.clock.now()
  const row = viewer.isStored ? await selectActiveSubscription(db, viewer.userId, now) : undefined
  const accessEndsAt = row && activeUntil(row)
  if (!row?.period_ends_at || !accessEndsAt || (row.status !== 'active' && row.status !== 'past_due'))
    return freeMembership
  const end = row.period_ends_at.toISOString()
  const renews = !row.cancel_at_period_end && row.gateway !== null
  return {
    state: 'subscribed',
    status: row.status,
    grace_until: row.status === 'past_due' ? accessEndsAt.toISOString() : null,
    plan: {
      id: row.plan_id,
      name: textInLanguage(row.names, language),
      price_cents: row.price_cents,
      currency: row.currency,
      period_days: row.period_days,
    },
    renews_at: renews ? end : null,
    ends_at: renews ? null : end,
    cancel_at_period_end: row.cancel_at_period_end,
    gateway: row.gateway,
    ...(row.gateway === null ? {} : { method: { brand: row.brand, last4: row.last4 } }),
    ...(row.method_detached_at === null || row.cancel_at_period_end ? {} : { method_detached: true }),
    ...nextPlanOf(row, language),
    ...unpaidPeriodOf(context, row, language),
  }
}

/** Returns the plan of a planned change of plan, if there is one. */
function nextPlanOf(row: LiveSubscription, language: Language): Pick<Membership, 'next_plan'> {
  const { next_plan_id, next_names, next_cents, next_currency, next_period_days } = row
  if (!next_plan_id || !next_names || !next_cents || !next_currency || !next_period_days) return {}
  return {
    next_plan: {
      id: next_plan_id,
      name: textInLanguage(next_names, language),
      price_cents: next_cents,
      currency: next_currency,
      period_days: next_period_days,
    },
  }
}

/**
 * Returns the unpaid period of a past-due subscription, at the price of its order. Its plan may differ from the current
 * plan.
 */
function unpaidPeriodOf(
  context: Pick<BillingContext, 'gateways'>,
  row: LiveSubscription,
  language: Language,
): Pick<Membership, 'owed'> {
  const { status, owed_plan_id, owed_names, owed_cents, owed_currency, owed_period_days } = row
  if (status !== 'past_due') return {}
  if (!owed_plan_id || !owed_names || !owed_cents || !owed_currency || !owed_period_days) return {}
  return {
    owed: {
      id: owed_plan_id,
      name: textInLanguage(owed_names, language),
      price_cents: owed_cents,
      currency: owed_currency,
      period_days: owed_period_days,
      gateways: gatewaysFor(context, { cents: [owed_cents], currency: owed_currency }, 'plan').map(
        ({ id }) => id,
      ),
    },
  }
}
