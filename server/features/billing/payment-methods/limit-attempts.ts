import { Fault, Refusal } from '#contract/errors.ts'
import { dayMs } from '#server/platform/clock.ts'
import { secondsUntil } from '#server/platform/database/limits.ts'
import type { Tx } from '#server/tables.ts'
import { isRenewalAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { selectChangeBefore } from '#server/features/billing/records/method-setup-queries.ts'
import { isRenewal, type OrderRow } from '#server/features/billing/records/order-queries.ts'

/** So many payments of one order, and set-ups of a person's payment methods, may be begun within a day. */
const mostPerDay = 20

/**
 * An order is closed for further payments after so many. The period that a subscription waits for has no other order, and can
 * be paid again once the oldest of them is a day old.
 * @param attempts all of the order's, the latest first
 * @throws Refusal orderClosed; Fault tooMany for a renewal
 */
export function checkAttempts(order: OrderRow, attempts: readonly AttemptRow[], now: Date): void {
  const since = now.getTime() - dayMs
  const ofDay = attempts.filter((one) => !isRenewalAttempt(one) && one.started_at.getTime() > since)
  const oldest = ofDay[mostPerDay - 1]
  if (!oldest) return
  if (!isRenewal(order)) throw new Refusal('orderClosed')
  throw tooMany(oldest.started_at, now)
}

/** @throws Fault tooMany after so many set-ups of a person's methods within a day, whatever became of them */
export async function checkMethodSetups(tx: Tx, userId: string, now: Date): Promise<void> {
  const oldest = await selectChangeBefore(tx, userId, mostPerDay - 1)
  if (oldest && oldest.started_at.getTime() > now.getTime() - dayMs) throw tooMany(oldest.started_at, now)
}

function tooMany(oldest: Date, now: Date): Fault {
  return new Fault('tooMany', undefined, secondsUntil(new Date(oldest.getTime() + dayMs), now))
}
