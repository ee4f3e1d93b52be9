import { Refusal } from '#contract/errors.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { deleteLoginFailures, type LoginAttempt } from './login-attempt-queries.ts'
import { throttleLogin } from './login-throttle.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { verifyPassword } from './passwords/passwords.ts'
import { lockUser, selectUser, type UserRow } from '#server/features/members/user-queries.ts'
import { checkSecondFactor, hasSecondFactor } from './second-factor/second-factor.ts'
import { selectSessionStart } from '#server/features/members/sessions/session-queries.ts'

export type MemberViewer = Viewer & { role: 'member'; sessionId: string }

/**
 * Returns the member of a call.
 * @throws Refusal signInRequired for guests and calls without a token
 */
export function requireMember({ viewer }: { viewer: Viewer | null }): MemberViewer {
  if (viewer?.role !== 'member' || viewer.sessionId === undefined) throw new Refusal('signInRequired')
  return { ...viewer, role: 'member', sessionId: viewer.sessionId }
}

interface SubmittedProof {
  current_password?: string
  totp?: string
}

/**
 * A proof of identity. The transaction that relies on the proof must compare it with the user's row
 * (`lockReauthenticatedUser`).
 */
export interface Reauthentication {
  userId: string
  passwordHash: string | null
  /**
   * Set for a member without a password whose sign-in is not recent. Contains the second-factor code to check, and its
   * counted attempt.
   */
  code?: { submitted: string; attempt: LoginAttempt }
}

/** Maximum age of a sign-in that proves the identity of a member without a password. */
const recentSignInMs = 15 * 60_000

/** Returns whether a session is recent enough to prove the member's identity. */
export async function isSignInRecent(
  { db, clock }: Pick<MembersContext, 'db' | 'clock'>,
  { sessionId }: MemberViewer,
): Promise<boolean> {
  const signedIn = await selectSessionStart(db, sessionId)
  return signedIn !== undefined && clock.now().getTime() - signedIn.getTime() <= recentSignInMs
}

/**
 * Verifies the identity of a signed-in member before permanent changes or deletion. A member proves it by the password.
 * Without a password, a recent sign-in or a code of the second factor is the proof.
 * @throws Refusal passwordWrong with the field; signInRequired if the member must sign in again; Fault tooManyRequests
 */
export async function reauthenticate(
  context: MembersContext,
  member: MemberViewer,
  submitted: SubmittedProof,
): Promise<Reauthentication> {
  const { db } = context
  const user = await selectUser(db, member.userId)
  const reauthentication = { userId: member.userId, passwordHash: user?.password_hash ?? null }
  if (reauthentication.passwordHash === null) {
    if (await isSignInRecent(context, member)) return reauthentication
    const submittedCode = submitted.totp?.trim()
    if (!submittedCode || !(await hasSecondFactor(db, member.userId))) throw new Refusal('signInRequired')
    return {
      ...reauthentication,
      code: { submitted: submittedCode, attempt: await throttleLogin(context, 'proof', member.userId) },
    }
  }
  if (!submitted.current_password) throw passwordWrong()
  const attempt = await throttleLogin(context, 'proof', member.userId)
  if (!(await verifyPassword(reauthentication.passwordHash, submitted.current_password)))
    throw passwordWrong()
  // The password was correct, so later refusals do not count as guesses.
  await deleteLoginFailures(db, attempt.accountKey)
  return reauthentication
}

/**
 * Locks the account of a reauthenticated member for the rest of the transaction, and checks that the proof is still
 * valid.
 * @throws Refusal passwordWrong if the password has been changed since; codeWrong; signInRequired if the account is
 * deleted
 */
export async function lockReauthenticatedUser(
  context: MembersContext,
  tx: Tx,
  { userId, passwordHash, code }: Reauthentication,
): Promise<UserRow> {
  const user = await lockUser(tx, userId)
  if (!user || user.deleted_at) throw new Refusal('signInRequired')
  if (user.password_hash !== passwordHash) throw passwordWrong()
  if (code) {
    await checkSecondFactor(tx, context, user, code.submitted)
    await deleteLoginFailures(tx, code.attempt.accountKey)
  }
  return user
}

const passwordWrong = () => new Refusal('passwordWrong', { field: 'current_password' })
