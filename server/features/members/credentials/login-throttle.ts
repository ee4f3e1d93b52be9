import { Fault, Refusal, type RefusalName } from '#contract/errors.ts'
import {
  attemptKey,
  secondsUntil,
  countAttempt,
  countAttemptOfNetworks,
} from '#server/platform/database/attempt-limits.ts'
import { startLoginAttempt, uncountLoginAttempt, type LoginAttempt } from './login-attempt-queries.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'

/**
 * Counts a login attempt. Limits attempts per time, and delays them longer after each failure. This also applies to
 * addresses without an account. The attempt counts as failed until `deleteLoginFailures` is called.
 * @param kind which counter. `code` counts second-factor codes separately, so that a correct password does not reset
 * their count. Operators are counted separately from members.
 * @param value the address by `emailLookupKey`, or the user's id if signed in
 * @param device id of a browser in which the account was used before; its attempts are counted separately
 * @throws Fault tooManyRequests with the seconds to wait
 */
export async function throttleLogin(
  { db, clock, secret, limits }: MembersContext,
  kind: 'sign-in' | 'proof' | 'code' | 'operator',
  value: string,
  device?: string,
): Promise<LoginAttempt> {
  const now = clock.now()
  const accountKey = attemptKey(secret, kind, withDevice(value, device))
  await countAttempt(db, accountKey, limits.signInAccount, now)
  const attempt = await startLoginAttempt(db, accountKey, now)
  if (attempt instanceof Date) throw new Fault('tooManyRequests', undefined, secondsUntil(attempt, now))
  return attempt
}

/**
 * Returns the key of an account's attempts. Each browser in which the account was used before has its own key. All
 * other browsers share one key.
 */
export const withDevice = (account: string, device: string | undefined): string =>
  device === undefined ? account : `${account} on ${device}`

/** Refusals that follow a correct password and do not depend on a code. */
const refusalsWithoutGuess: ReadonlySet<RefusalName> = new Set(['secondFactorRequired', 'alreadySignedIn'])

/**
 * Rethrows an error. If neither a password nor a code was wrong, the attempt does not count as failed. Earlier failures
 * remain counted; otherwise every correct password would allow five more guesses at the code.
 */
export async function rethrowLoginError(
  { db, clock }: Pick<MembersContext, 'db' | 'clock'>,
  attempt: LoginAttempt,
  error: unknown,
): Promise<never> {
  if (error instanceof Refusal && refusalsWithoutGuess.has(error.reason))
    await uncountLoginAttempt(db, attempt, clock.now())
  throw error
}

/**
 * Limits sign-ins or registrations from a network, both with a password and by a provider.
 * @throws Fault tooManyRequests with the seconds to wait
 */
export async function limitByNetwork(
  { db, clock, secret, limits }: MembersContext,
  kind: 'sign-in' | 'register',
  ip: string,
): Promise<void> {
  const limit = kind === 'sign-in' ? limits.signInIp : limits.registerIp
  await countAttemptOfNetworks(db, { secret, kind: `${kind}-ip`, ip }, limit, clock.now())
}
