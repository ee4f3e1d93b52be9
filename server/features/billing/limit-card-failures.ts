import { Refusal, type RefusalName } from '#contract/errors.ts'
import { borrowTurn, keyFor } from '#server/platform/database/limits.ts'
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
 * "Limits"); what is under way counts meanwhile. The address itself is not kept.
 * @throws Fault tooMany
 */
export async function limitCardFailures(
  { db, clock, secret, limits }: BillingContext,
  ip: string,
  pay: () => Promise<void>,
): Promise<void> {
  const key = keyFor(secret, 'card-failures', networkOf(ip))
  const giveBack = await borrowTurn(db, key, limits.cardFailuresIp, clock.now())
  try {
    await pay()
  } catch (error) {
    const failed = error instanceof Refusal && cardRefusals.includes(error.reason)
    if (!failed) await giveBack().catch(() => {})
    throw error
  }
  // The payment stands, whatever becomes of the turn.
  await giveBack().catch(() => {})
}
