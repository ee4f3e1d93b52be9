import { Refusal } from '#contract/errors.ts'
import { dayMs } from '#server/platform/clock.ts'
import type { RateLimit } from '#server/platform/config/read-env.ts'
import { checkOldestEvent } from '#server/platform/database/attempt-limits.ts'
import type { Tx } from '#server/tables.ts'
import { isRenewalAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { selectMethodSetupBefore } from '#server/features/billing/records/method-setup-queries.ts'
import { isRenewal, type OrderRow } from '#server/features/billing/records/order-queries.ts'

/** The daily limit of payment attempts per order, and of payment method setups per user. */
const perDay: RateLimit = { max: 20, seconds: dayMs / 1000 }

/**
 * Refuses another payment of an order once the daily limit is reached. The order of a renewal stays open, because its
 * period has no other order. It can be paid again when the oldest counted attempt is a day old.
 * @param attempts all attempts of the order, latest first
 * @throws Refusal orderClosed; Fault tooManyRequests for a renewal
 */
export function checkAttemptLimit(order: OrderRow, attempts: readonly AttemptRow[], now: Date): void {
  const since = now.getTime() - dayMs
  const recentAttempts = attempts.filter((one) => !isRenewalAttempt(one) && one.started_at.getTime() > since)
  const oldest = recentAttempts[perDay.max - 1]
  if (oldest && !isRenewal(order)) throw new Refusal('orderClosed')
  checkOldestEvent(oldest?.started_at, perDay, now)
}

/** Checks the user's daily limit of setups, including successful ones. @throws Fault tooManyRequests */
export async function checkMethodSetupLimit(tx: Tx, userId: string, now: Date): Promise<void> {
  const oldest = await selectMethodSetupBefore(tx, userId, perDay.max - 1)
  checkOldestEvent(oldest?.started_at, perDay, now)
}
