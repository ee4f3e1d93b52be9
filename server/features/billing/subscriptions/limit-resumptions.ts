import { Fault, Refusal } from '#contract/errors.ts'
import { countAttempt } from '#server/platform/database/attempt-limits.ts'
import type { Tx } from '#server/tables.ts'

/** Maximum number of resumptions per day. */
const resumptionLimit = { max: 5, seconds: 86_400 }

/**
 * Counts a resumption of a subscription, in the transaction of the resumption. This limit also bounds the number of
 * mails and audit events, because a cancellation is never refused and always sends a mail.
 * @throws Refusal resumeLimitReached
 */
export async function countResumption(tx: Tx, subscriptionId: string, now: Date): Promise<void> {
  try {
    await countAttempt(tx, `resumption:${subscriptionId}`, resumptionLimit, now)
  } catch (error) {
    if (error instanceof Fault && error.reason === 'tooManyRequests') throw new Refusal('resumeLimitReached')
    throw error
  }
}
