import type { changeUser } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { inTransactionWithHeaders } from '#server/features/members/in-transaction-with-headers.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { checkEmail } from '#server/features/members/credentials/check-profile.ts'
import { deleteOtherMailLinks } from '#server/features/members/credentials/mail-link-queries.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { checkPassword, hashPassword } from '#server/features/members/credentials/passwords/passwords.ts'
import {
  lockReauthenticatedUser,
  reauthenticate,
  requireMember,
} from '#server/features/members/credentials/reauthenticate.ts'
import { selectUserByEmail, updateUser } from '#server/features/members/user-queries.ts'
import {
  limitVerifications,
  sendVerification,
} from '#server/features/members/credentials/send-verification.ts'
import { endUserSessions, startSession } from '#server/features/members/sessions/sessions.ts'
import { sendSecurityMail } from '#server/features/members/credentials/security-mails.ts'
import { sendEmailTakenMail } from '#server/features/members/credentials/email-taken-mail.ts'

type ChangeCall = Call<typeof changeUser>

/**
 * Changes a member's e-mail address and password. A new address applies once the user has opened the link mailed to it.
 * A new password ends all sessions and starts a new one for the caller. It invalidates all mailed links except the one
 * that verifies the current address.
 * @param updateProfile stores the other changes of the call in the same transaction
 * @returns the new viewer
 * @throws Refusal emailInvalid, emailTaken, the password's rules and passwordWrong, with the field; signInRequired for
 * a guest
 */
export async function changeCredentials(
  context: MembersContext,
  call: ChangeCall,
  updateProfile: (tx: Tx, call: ChangeCall, userId: string) => Promise<void>,
): Promise<Viewer> {
  const { email, new_password } = call.body
  const member = requireMember(call)
  if (email !== undefined) checkEmail(email)
  if (new_password !== undefined) checkPassword(new_password, 'new_password')
  const reauthentication = await reauthenticate(context, member, call.body)
  if (email !== undefined) await assertEmailAvailable(context, email, member.userId, call.ip)
  const password_hash = new_password === undefined ? undefined : await hashPassword(new_password)
  return inTransactionWithHeaders(context.db, call, async (tx, deferredCall) => {
    const user = await lockReauthenticatedUser(context, tx, reauthentication)
    await updateProfile(tx, deferredCall, user.id)
    if (password_hash !== undefined) await deleteOtherMailLinks(tx, user.id, user.email)
    if (email !== undefined && email !== user.email) await sendVerification(tx, context, user, email)
    if (password_hash === undefined) return member
    await updateUser(tx, user.id, { password_hash })
    await auditCall(context, tx, call, 'password_changed', user.id)
    await sendSecurityMail(tx, context, user, 'passwordChanged')
    // Keeps the current session until `startSession` has replaced it, so that hooks can move the session's records.
    await endUserSessions(tx, user.id, member.sessionId)
    return startSession(context, tx, deferredCall, user.id)
  })
}

/**
 * Checks that no other account has the address. If another account has it, mails the owner of that account.
 * @throws Refusal emailTaken; Fault tooManyRequests
 */
async function assertEmailAvailable(
  context: MembersContext,
  email: string,
  userId: string,
  ip: string,
): Promise<void> {
  const owner = await selectUserByEmail(context.db, email)
  if (owner?.id === userId && owner.email === email) return
  await limitVerifications(context, userId, ip)
  if (!owner || owner.id === userId) return
  await sendEmailTakenMail(context, email)
  throw new Refusal('emailTaken', { field: 'email' })
}
