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

/** @throws Refusal signInFirst for guests and strangers */
export function requireMember({ viewer }: { viewer: Viewer | null }): MemberViewer {
  if (viewer?.role !== 'member' || viewer.sessionId === undefined) throw new Refusal('signInFirst')
  return { ...viewer, role: 'member', sessionId: viewer.sessionId }
}

interface Given {
  current_password?: string
  totp?: string
}

/** What was proven, to be held against the row in the transaction that relies on it. */
export interface Proof {
  userId: string
  passwordHash: string | null
  /** Without a password and a recent sign-in, a code of the second factor has to do; the try at it. */
  code?: { typed: string; tried: Try }
}

/** A sign-in this recent replaces the password of members without one. */
const recentMs = 15 * 60_000

/** Whether a session is so recent that it proves the member's identity. */
export async function signedInJustNow(
  { db, clock }: Pick<MembersContext, 'db' | 'clock'>,
  { sessionId }: MemberViewer,
): Promise<boolean> {
  const signedIn = await selectSessionStart(db, sessionId)
  return signedIn !== undefined && clock.now().getTime() - signedIn.getTime() <= recentMs
}

/**
 * Requires the member to prove that the account is theirs before it is changed permanently or deleted: by the
 * password; without one, by having signed in just now, or by a code of the second factor.
 * @throws Refusal passwordWrong with the field; signInFirst where only a new sign-in would do; Fault tooMany
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
  // Whatever is refused from here on, the password was no guess.
  await deleteFailures(db, tried.account)
  return proof
}

/**
 * Locks the account of a proof for the rest of the transaction.
 * @throws Refusal passwordWrong if the password is another one by now, codeWrong, signInFirst where the account is gone
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
