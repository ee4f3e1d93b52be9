import { sql } from 'kysely'
import { dayMs } from '#server/platform/clock.ts'

/** The notice period before a higher price applies. */
export const priceNoticeMs = 14 * dayMs

/**
 * SQL expression over `subscriptions` and `plans`: the price of a subscription's next period, unless the plan changes.
 * This is the announced price if it applies by the end of the current period, and otherwise the agreed price. It is
 * never higher than the plan's current price.
 */
export const nextPrice = sql<number>`LEAST(
  plans.price_cents,
  CASE WHEN subscriptions.announced_price_from <= subscriptions.period_ends_at THEN subscriptions.announced_price_cents
    ELSE COALESCE(subscriptions.agreed_price_cents, plans.price_cents) END
)`

/** SQL expression: the price that the user was notified of last or, before the first notice, agreed to. */
export const knownPrice = sql<number | null>`coalesce(announced_price_cents, agreed_price_cents)`
