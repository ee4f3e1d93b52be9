import { checkOldest, keyFor } from '#server/platform/database/limits.ts'
import { networkOf } from '#server/platform/http/limits/network-of.ts'
import type { Limit } from '#server/platform/config/read-setting.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { lockNetwork, selectFailureOfNetwork, selectFailureOfPerson } from './card-failure-queries.ts'

/** Who pays by hand: their address, and what their browser said with it. */
export interface Payer {
  /** From where they pay. */
  ip: string
  token?: string
  firstName?: string
  lastName?: string
}

/** The name under which the cards of a network are counted; it says nothing of the address. */
export function failuresKey({ secret }: Pick<BillingContext, 'secret'>, ip: string): string {
  return keyFor(secret, 'card-failures', networkOf(ip))
}

/**
 * The cards of a person, and of a network, may fail only so often (security.md, "Limits"), whoever heard of the failure
 * first: the browser that waits, a notification or a look. What is under way counts too, so that many orders paid at once,
 * or payments whose card the gateway gets behind our back, are no way around the limit.
 * @throws Fault tooMany
 */
export async function checkCardFailures(
  { limits }: Pick<BillingContext, 'limits'>,
  tx: Tx,
  { userId, network }: { userId: string; network: string },
  now: Date,
): Promise<void> {
  const { cardFailuresUser: own, cardFailuresIp: shared } = limits
  checkOldest(await selectFailureOfPerson(tx, userId, since(own, now), own.max), own, now)
  await lockNetwork(tx, network)
  checkOldest(await selectFailureOfNetwork(tx, network, since(shared, now), shared.max), shared, now)
}

const since = ({ seconds }: Limit, now: Date): Date => new Date(now.getTime() - seconds * 1000)
