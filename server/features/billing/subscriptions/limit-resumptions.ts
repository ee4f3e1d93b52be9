import { Fault, Refusal } from '#contract/errors.ts'
import { countAttempt } from '#server/platform/database/attempt-limits.ts'
import type { Tx } from '#server/tables.ts'

/** Maximum number of resumptions of a subscription per day. */
const resumptionLimit = { max: 5, seconds: 86_400 }

/**
 * Counts a resumption of a subscription, in the transaction of the resumption. Each resumption permits another
 * cancellation, which is never refused and sends a mail. The limit therefore bounds the number of mails and audit
 * events.
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
