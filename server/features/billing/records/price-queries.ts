import { sql } from 'kysely'
import { dayMs } from '#server/platform/clock.ts'

/** The notice period before a higher price applies. */
export const priceNoticeMs = 14 * dayMs

/**
 * The plan's price for the next period of a subscription: what the user agreed to, or was notified of long enough before that
 * period begins, and never more than the plan's current price. For a query of subscriptions and plans.
 */
export const nextPrice = sql<number>`LEAST(
  plans.price_cents,
  CASE WHEN subscriptions.announced_price_from <= subscriptions.period_ends_at THEN subscriptions.announced_price_cents
    ELSE COALESCE(subscriptions.agreed_price_cents, plans.price_cents) END
)`

/** True if the plan now costs more than the user agreed to or was notified of. */
export const hasUnannouncedPriceRise = sql<boolean>`plans.price_cents > COALESCE(
  subscriptions.announced_price_cents, subscriptions.agreed_price_cents, plans.price_cents
)`
