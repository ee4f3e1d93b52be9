import { checkOldest, keyFor } from '#server/platform/database/limits.ts'
import { networkOf } from '#server/platform/http/limits/network-of.ts'
import type { Limit } from '#server/platform/config/read-setting.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { lockNetwork, selectFailureOfNetwork, selectFailureOfPerson } from './card-failure-queries.ts'

/** The user who pays at the checkout: their address, and the data that their browser sent. */
export interface Payer {
  /** The IP address. */
  ip: string
  token?: string
  firstName?: string
  lastName?: string
}

/** Returns the key under which a network's cards are counted; the address cannot be derived from it. */
export function failuresKey({ secret }: Pick<BillingContext, 'secret'>, ip: string): string {
  return keyFor(secret, 'card-failures', networkOf(ip))
}

/**
 * Limits the failed cards per user and per network, however the failure becomes known: by the waiting browser, a notification
 * or a query. Cards in progress count too, so that paying many orders at once, or giving cards directly to the gateway, does
 * not evade the limit.
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
