import type {
  requestPasswordReset as requestPasswordResetCall,
  resetPassword as resetPasswordCall,
} from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { attemptKey, countAttempt } from '#server/platform/database/attempt-limits.ts'
import { emailLookupKey, isSameEmail } from '#server/platform/email-address.ts'
import type { Call } from '#server/platform/http/route.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import { deleteLoginFailures } from '#server/features/members/credentials/login-attempt-queries.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { checkEmail } from '#server/features/members/credentials/check-profile.ts'
import { findKnownDevice } from '#server/features/members/sessions/device-cookie.ts'
import {
  deleteMailLinks,
  insertPasswordResetRequest,
  claimPasswordResetRequest,
} from '#server/features/members/credentials/mail-link-queries.ts'
import {
  findMailLink,
  lockMailLinkOwner,
  createMailLink,
} from '#server/features/members/credentials/mail-links.ts'
import { withDevice } from '#server/features/members/credentials/login-throttle.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { selectUserByEmail, updateUser, type UserRow } from '#server/features/members/user-queries.ts'
import { removeSecondFactor } from '#server/features/members/credentials/second-factor/second-factor.ts'
import { endUserSessions } from '#server/features/members/sessions/sessions.ts'
import { eraseIdentities } from '#server/features/members/credentials/erase-identities.ts'
import { sendSecurityMail } from '#server/features/members/credentials/security-mails.ts'

/**
 * Records a request for a password reset of an address. Only `sendResetLinks` looks up the account, so neither the
 * response nor its time reveals whether there is an account.
 * @throws Refusal emailInvalid with the field; Fault tooManyRequests, for known and unknown addresses alike
 */
export async function requestPasswordReset(
  context: MembersContext,
  call: Call<typeof requestPasswordResetCall>,
): Promise<void> {
  const { db, clock, secret, limits } = context
  const { email } = call.body
  const now = clock.now()
  checkEmail(email)
  context.quotas.spendOrThrow('mailLinks', call.ip)
  // A browser that the member has used before has a separate limit, which requests of strangers do not use up.
  const requesterKey = withDevice(emailLookupKey(email), findKnownDevice(context, call, 'device', email))
  await countAttempt(db, attemptKey(secret, 'reset', requesterKey), limits.mailLinksAccount, now)
  await insertPasswordResetRequest(db, { email, language: call.language, created_at: now })
}

/**
 * Mails a link for each request whose address has an account. Each request is answered
 * once, even if several processes call this concurrently.
 */
export async function sendResetLinks(context: MembersContext, signal?: AbortSignal): Promise<void> {
  let found = true
  while (found && !signal?.aborted) {
    found = await inTransaction(context.db, async (tx) => {
      const request = await claimPasswordResetRequest(tx)
      if (request) await sendResetLink(context, tx, request)
      return request !== undefined
    })
  }
}

async function sendResetLink(
  context: MembersContext,
  tx: Tx,
  request: { email: string; language: string },
): Promise<void> {
  const user = await selectUserByEmail(tx, request.email)
  if (!user?.email || user.deleted_at) return
  const { id: userId, email } = user
  const { url, expiresAt } = await createMailLink(tx, context, { purpose: 'reset', userId, email })
  const language = user.language ?? request.language
  await queueMail(tx, { to: email, template: 'resetPassword', values: { link: url }, language, expiresAt })
}

/**
 * Sets a new password with the mailed secret. Ends every session, invalidates every other link,
 * verifies the address, and sends a security mail.
 * @throws Refusal passwordTooShort, passwordTooLong, passwordCommon, passwordsDiffer with the field; linkExpired
 */
export async function resetPassword(
  context: MembersContext,
  call: Call<typeof resetPasswordCall>,
): Promise<void> {
  const { db, clock } = context
  const { secret, new_password, repeat_password } = call.body
  checkPassword(new_password, 'new_password')
  if (repeat_password !== new_password) throw new Refusal('passwordsDiffer', { field: 'repeat_password' })
  // Hashing is expensive, so the link is checked first.
  if (!(await findMailLink(db, 'reset', secret, clock.now()))) throw new Refusal('linkExpired')
  const password_hash = await hashPassword(new_password)
  await inTransaction(db, async (tx) => {
    const verifiedLink = await lockMailLinkOwner(tx, 'reset', secret, clock.now())
    if (!verifiedLink || !isSameEmail(verifiedLink.user.email, verifiedLink.email))
      throw new Refusal('linkExpired')
    await changePassword(context, tx, call, verifiedLink.user, password_hash)
  })
}

async function changePassword(
  context: MembersContext,
  tx: Tx,
  call: Call<typeof resetPasswordCall>,
  user: UserRow,
  password_hash: string,
): Promise<void> {
  const email_verified_at = user.email_verified_at ?? context.clock.now()
  if (!user.email_verified_at) await removeUnverifiedCredentials(tx, user.id)
  await updateUser(tx, user.id, { password_hash, email_verified_at })
  await endUserSessions(tx, user.id)
  await deleteMailLinks(tx, user.id)
  const email = user.email ?? ''
  // If the account was used in this browser before, the failures of this browser are counted separately.
  const account = emailLookupKey(email)
  const device = findKnownDevice(context, call, 'device', email)
  for (const counted of new Set([account, withDevice(account, device)]))
    await deleteLoginFailures(tx, attemptKey(context.secret, 'sign-in', counted))
  await auditCall(context, tx, call, 'password_changed', user.id)
  await sendSecurityMail(tx, context, user, 'passwordChanged')
}

/** Removes the second factor and identities of an account that a stranger may have created with this user's address. */
export async function removeUnverifiedCredentials(tx: Tx, userId: string): Promise<void> {
  await removeSecondFactor(tx, userId)
  await eraseIdentities(tx, userId)
}
