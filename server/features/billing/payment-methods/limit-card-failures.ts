import { checkOldestEvent, attemptKey } from '#server/platform/database/attempt-limits.ts'
import { networkOf } from '#server/platform/http/limits/client-network.ts'
import type { RateLimit } from '#server/platform/config/read-env.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { lockNetwork, selectCardAttemptOfNetwork, selectCardAttemptOfUser } from './card-failure-queries.ts'

/** A user who pays at the checkout: the IP address and the data that the browser sent. */
export interface Payer {
  ip: string
  token?: string
  firstName?: string
  lastName?: string
}

/** Returns the key under which the cards of a network are counted. This keyed hash does not reveal the IP address. */
export function hashNetwork({ secret }: Pick<BillingContext, 'secret'>, ip: string): string {
  return attemptKey(secret, 'card-failures', networkOf(ip))
}

/**
 * Limits the failed cards per user and per network, whether the browser, a webhook event or a query reports a failure.
 * Cards of open payments count too. Otherwise concurrent orders, cards sent directly to the gateway, or payments whose
 * outcome is unknown could evade the limit.
 * @throws Fault tooManyRequests
 */
export async function checkCardFailureLimit(
  { limits }: Pick<BillingContext, 'limits'>,
  tx: Tx,
  { userId, network }: { userId: string; network: string },
  now: Date,
): Promise<void> {
  const { cardFailuresUser: userLimit, cardFailuresIp: networkLimit } = limits
  checkOldestEvent(
    await selectCardAttemptOfUser(tx, userId, since(userLimit, now), userLimit.max),
    userLimit,
    now,
  )
  await lockNetwork(tx, network)
  checkOldestEvent(
    await selectCardAttemptOfNetwork(tx, network, since(networkLimit, now), networkLimit.max),
    networkLimit,
    now,
  )
}

const since = ({ seconds }: RateLimit, now: Date): Date => new Date(now.getTime() - seconds * 1000)
