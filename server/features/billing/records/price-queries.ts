import { sql } from 'kysely'
import { dayMs } from '#server/platform/clock.ts'

/** How long before a higher price somebody is told of it. */
export const noticeMs = 14 * dayMs

/**
 * What the next period of a subscription costs in its plan: what its person agreed to, or was told of long enough before that
 * period begins, and never more than the plan costs now. For a query of subscriptions and plans.
 */
export const nextPrice = sql<number>`LEAST(
  plans.price_cents,
  CASE WHEN subscriptions.announced_from <= subscriptions.period_ends_at THEN subscriptions.announced_cents
    ELSE COALESCE(subscriptions.agreed_cents, plans.price_cents) END
)`

/** Whether the plan costs more by now than the person agreed to or was told. */
export const risesUntold = sql<boolean>`plans.price_cents > COALESCE(
  subscriptions.announced_cents, subscriptions.agreed_cents, plans.price_cents
)`
