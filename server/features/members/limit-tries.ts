import { Fault } from '#contract/errors.ts'
import { keyFor, secondsUntil, takeTurn } from '#server/platform/database/limits.ts'
import { networkOf } from '#server/platform/http/network-of.ts'
import { beginTry } from './attempt-queries.ts'
import type { MembersContext } from './members-context.ts'

/**
 * Lets an account's password be tried, at most so often a minute and with a growing rest after failures (security.md,
 * "Limits"). Addresses without an account are counted alike. The try counts as failed until `deleteFailures`.
 * @param value the address by `foldEmail`, or the user's id where the person is signed in; operators' tries are counted apart from members'
 * @returns the key that the tries are counted under
 * @throws Fault tooMany with the seconds to wait
 */
export async function limitTries(
  { db, clock, secret, limits }: MembersContext,
  kind: 'sign-in' | 'proof' | 'operator',
  value: string,
): Promise<string> {
  const now = clock.now()
  const account = keyFor(secret, kind, value)
  await takeTurn(db, account, limits.signInAccount, now)
  const openAgain = await beginTry(db, account, now)
  if (openAgain) throw new Fault('tooMany', undefined, secondsUntil(openAgain, now))
  return account
}

/**
 * Lets a network sign in or register at most so often, with a password or by a provider (security.md, "Limits").
 * @throws Fault tooMany with the seconds to wait
 */
export function limitNetwork(
  { db, clock, secret, limits }: MembersContext,
  kind: 'sign-in' | 'register',
  ip: string,
): Promise<void> {
  const limit = kind === 'sign-in' ? limits.signInIp : limits.registerIp
  return takeTurn(db, keyFor(secret, `${kind}-ip`, networkOf(ip)), limit, clock.now())
}
