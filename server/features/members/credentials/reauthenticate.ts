import { Refusal } from '#contract/errors.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { deleteFailures, type Try } from './attempt-queries.ts'
import { throttleLogin } from './login-throttle.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { verifyPassword } from './passwords/passwords.ts'
import { lockUser, selectUser, type UserRow } from '#server/features/members/queries.ts'
import { checkSecondFactor, hasSecondFactor } from './second-factor/second-factor.ts'
import { selectSessionStart } from '#server/features/members/sessions/session-queries.ts'

export type MemberViewer = Viewer & { role: 'member'; sessionId: string }

/** Returns the member of a call. @throws Refusal signInFirst for guests and calls without a token */
export function requireMember({ viewer }: { viewer: Viewer | null }): MemberViewer {
  if (viewer?.role !== 'member' || viewer.sessionId === undefined) throw new Refusal('signInFirst')
  return { ...viewer, role: 'member', sessionId: viewer.sessionId }
}

interface Given {
  current_password?: string
  totp?: string
}

/** A verified proof of identity, to be compared with the row in the transaction that relies on it. */
export interface Proof {
  userId: string
  passwordHash: string | null
  /** Without a password and a recent sign-in, a code of the second factor is required; `tried` is its attempt. */
  code?: { typed: string; tried: Try }
}

/** A sign-in this recent replaces the password of members without one. */
const recentMs = 15 * 60_000

/** Returns whether a session is recent enough to prove the member's identity. */
export async function signedInJustNow(
  { db, clock }: Pick<MembersContext, 'db' | 'clock'>,
  { sessionId }: MemberViewer,
): Promise<boolean> {
  const signedIn = await selectSessionStart(db, sessionId)
  return signedIn !== undefined && clock.now().getTime() - signedIn.getTime() <= recentMs
}

/**
 * Makes the user of a session prove their identity before permanent changes or deletion: by the password; without one, by a recent
 * sign-in or a code of the second factor.
 * @throws Refusal passwordWrong with the field; signInFirst if only a new sign-in is sufficient; Fault tooMany
 */
export async function reauthenticate(
  context: MembersContext,
  member: MemberViewer,
  given: Given,
): Promise<Proof> {
  const { db } = context
  const user = await selectUser(db, member.userId)
  const proof = { userId: member.userId, passwordHash: user?.password_hash ?? null }
  if (proof.passwordHash === null) {
    if (await signedInJustNow(context, member)) return proof
    const typed = given.totp?.trim()
    if (!typed || !(await hasSecondFactor(db, member.userId))) throw new Refusal('signInFirst')
    return { ...proof, code: { typed, tried: await throttleLogin(context, 'proof', member.userId) } }
  }
  if (!given.current_password) throw wrong()
  const tried = await throttleLogin(context, 'proof', member.userId)
  if (!(await verifyPassword(proof.passwordHash, given.current_password))) throw wrong()
  // The password was correct, so later refusals do not count as guesses.
  await deleteFailures(db, tried.account)
  return proof
}

/**
 * Locks the account of a proof for the rest of the transaction.
 * @throws Refusal passwordWrong if the password was changed meanwhile, codeWrong, signInFirst if the account is deleted
 */
export async function lockReauthenticated(
  context: MembersContext,
  tx: Tx,
  { userId, passwordHash, code }: Proof,
): Promise<UserRow> {
  const user = await lockUser(tx, userId)
  if (!user || user.deleted_at) throw new Refusal('signInFirst')
  if (user.password_hash !== passwordHash) throw wrong()
  if (code) {
    await checkSecondFactor(tx, context, user, code.typed)
    await deleteFailures(tx, code.tried.account)
  }
  return user
}

const wrong = () => new Refusal('passwordWrong', { field: 'current_password' })
