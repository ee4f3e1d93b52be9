import { Refusal, type RefusalName } from '#contract/errors.ts'
import { checkTurns, keyFor, takeTurn } from '#server/platform/database/limits.ts'
import { networkOf } from '#server/platform/http/network-of.ts'
import type { BillingContext } from './billing-context.ts'

/** What a card is refused for; a form that timed out says nothing of the card. */
const cardRefusals: readonly RefusalName[] = [
  'cardDeclined',
  'insufficientFunds',
  'cardExpired',
  'wrongCvc',
  'checkFailed',
]

/**
 * Lets somebody pay unless too many cards failed from their address, and counts it where this one fails (security.md,
 * "Limits"). The address itself is not kept.
 * @throws Fault tooMany
 */
export async function limitCardFailures(
  { db, clock, secret, limits }: BillingContext,
  ip: string,
  pay: () => Promise<void>,
): Promise<void> {
  const key = keyFor(secret, 'card-failures', networkOf(ip))
  await checkTurns(db, key, limits.cardFailuresIp, clock.now())
  try {
    await pay()
  } catch (error) {
    const failed = error instanceof Refusal && cardRefusals.includes(error.reason)
    // The person is told why the card failed, also where it was the last that may.
    if (failed) await takeTurn(db, key, limits.cardFailuresIp, clock.now()).catch(() => {})
    throw error
  }
}
