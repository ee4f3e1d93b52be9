import { inLanguage, type Language } from '#contract/languages.ts'
import type { Membership } from '#contract/members.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { selectLiveSubscription } from './subscription-queries.ts'

const free: Membership = {
  state: 'free',
  status: null,
  grace_until: null,
  plan: null,
  renews_at: null,
  ends_at: null,
  cancel_at_period_end: false,
  gateway: null,
}

const dayMs = 86_400_000
const longestGraceMs = 3 * dayMs

/** What a person's subscription gives at this moment: it renews at the period's end, or ends there where it was cancelled. */
export async function membershipOf(
  db: Db,
  viewer: Pick<Viewer, 'userId' | 'kept'>,
  now: Date,
  language: Language,
): Promise<Membership> {
  const row = viewer.kept ? await selectLiveSubscription(db, viewer.userId, now) : undefined
  if (!row?.period_ends_at || (row.status !== 'active' && row.status !== 'past_due')) return free
  const periodEnd = row.period_ends_at.getTime()
  // Grace g = min(3 days, N/2) (billing.md, "States").
  const graceEnd = periodEnd + Math.min(longestGraceMs, (row.period_days * dayMs) / 2)
  if (now.getTime() >= graceEnd) return free
  const end = row.period_ends_at.toISOString()
  return {
    state: 'subscribed',
    status: row.status,
    grace_until: row.status === 'past_due' ? new Date(graceEnd).toISOString() : null,
    plan: {
      id: row.plan_id,
      name: inLanguage(row.names, language),
      price_cents: row.price_cents,
      currency: row.currency,
      period_days: row.period_days,
    },
    renews_at: row.cancel_at_period_end ? null : end,
    ends_at: row.cancel_at_period_end ? end : null,
    cancel_at_period_end: row.cancel_at_period_end,
    gateway: row.gateway,
  }
}
