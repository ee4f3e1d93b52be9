import { Fault, Refusal, type RefusalName } from '#contract/errors.ts'
import { keyFor, secondsUntil, takeTurn, takeTurnOfNetworks } from '#server/platform/database/limits.ts'
import { beginTry, takeTryBack, type Try } from './attempt-queries.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'

/**
 * Lets an account's password be tried, at most so often a minute and with a growing rest after failures (security.md,
 * "Limits"). Addresses without an account are counted alike. The try counts as failed until `deleteFailures`.
 * @param kind a code that is asked for beside the password is counted apart from it (`code`): who knows the password has no more tries
 * at the code by it; so are operators' tries from members'
 * @param value the address by `foldEmail`, or the user's id where the person is signed in
 * @param device a browser that somebody has signed in from, whose tries are counted apart
 * @throws Fault tooMany with the seconds to wait
 */
export async function throttleLogin(
  { db, clock, secret, limits }: MembersContext,
  kind: 'sign-in' | 'proof' | 'code' | 'operator',
  value: string,
  device?: string,
): Promise<Try> {
  const now = clock.now()
  const account = keyFor(secret, kind, onDevice(value, device))
  await takeTurn(db, account, limits.signInAccount, now)
  const begun = await beginTry(db, account, now)
  if (begun instanceof Date) throw new Fault('tooMany', undefined, secondsUntil(begun, now))
  return begun
}

/** What is counted for an account: all strangers together, and each browser that somebody has signed in from. */
export const onDevice = (account: string, device: string | undefined): string =>
  device === undefined ? account : `${account} on ${device}`

/** Refusals of somebody whose password was right and whose code was not looked at. */
const noGuesses: ReadonlySet<RefusalName> = new Set(['secondFactorNeeded', 'signedInAlready'])

/**
 * Throws an error again; where it says that nothing which was given is wrong, the try does not count as failed. The failures before
 * it do: else every right password would give five more guesses at the code.
 */
export async function forgiveLogin(
  { db, clock }: Pick<MembersContext, 'db' | 'clock'>,
  tried: Try,
  error: unknown,
): Promise<never> {
  if (error instanceof Refusal && noGuesses.has(error.reason)) await takeTryBack(db, tried, clock.now())
  throw error
}

/**
 * Lets a network sign in or register at most so often, with a password or by a provider (security.md, "Limits").
 * @throws Fault tooMany with the seconds to wait
 */
export async function limitNetwork(
  { db, clock, secret, limits }: MembersContext,
  kind: 'sign-in' | 'register',
  ip: string,
): Promise<void> {
  const limit = kind === 'sign-in' ? limits.signInIp : limits.registerIp
  await takeTurnOfNetworks(db, { secret, kind: `${kind}-ip`, ip }, limit, clock.now())
}
