import type { verifyEmail as verifyEmailCall } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { isSameEmail } from '#server/platform/email-address.ts'
import type { Call } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { selectLatestLinkEmail } from './mail-link-queries.ts'
import { lockMailLinkOwner } from './mail-links.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { requireMember } from './reauthenticate.ts'
import {
  isEmailTaken,
  lockUser,
  selectUser,
  updateUser,
  type UserRow,
} from '#server/features/members/user-queries.ts'
import { limitVerifications, sendVerification } from './send-verification.ts'
import { sendSecurityMail } from './security-mails.ts'

type VerifyCall = Call<typeof verifyEmailCall>
interface VerificationResult {
  verified: boolean
  email: string
}

/**
 * Verifies an address with the mailed secret. A new address becomes the user's, and the former address gets a mail.
 * Using the secret again within a day returns the same result and changes nothing. Without a secret, mails the
 * signed-in member another link, to the new address if a change is pending.
 * @throws Refusal linkExpired, or emailTaken if another account now has the address. Without a secret: Refusal
 * signInRequired, or notFound if the member has no address; Fault tooManyRequests
 */
export async function verifyEmail(context: MembersContext, call: VerifyCall): Promise<VerificationResult> {
  const { secret } = call.body
  if (secret === undefined) return resendVerification(context, call)
  return inTransaction(context.db, async (tx) => {
    const now = context.clock.now()
    const verifiedLink = await lockMailLinkOwner(tx, 'verify', secret, now)
    if (!verifiedLink) throw new Refusal('linkExpired')
    const { user, email } = verifiedLink
    const email_verified_at = user.email_verified_at ?? now
    if (isSameEmail(user.email, email)) await updateUser(tx, user.id, { email, email_verified_at })
    else await changeEmail(context, tx, call, user, email)
    return { verified: true, email }
  })
}

/**
 * Changes the user's address. Reset links to the former address become invalid,
 * because `resetPassword` compares the addresses.
 */
async function changeEmail(
  context: MembersContext,
  tx: Tx,
  call: VerifyCall,
  user: UserRow,
  email: string,
): Promise<void> {
  await updateUser(tx, user.id, { email, email_verified_at: context.clock.now() }).catch((error: unknown) => {
    throw isEmailTaken(error) ? new Refusal('emailTaken', { field: 'email' }) : error
  })
  await auditCall(context, tx, call, 'email_changed', user.id)
  await sendSecurityMail(tx, context, { ...user, language: user.language ?? call.language }, 'emailChanged')
}

async function resendVerification(context: MembersContext, call: VerifyCall): Promise<VerificationResult> {
  const { db } = context
  const { userId } = requireMember(call)
  const pending = await findEmailToVerify(db, userId)
  if (pending.verified) return pending
  await limitVerifications(context, userId, call.ip)
  await inTransaction(db, async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user || user.deleted_at) throw new Refusal('signInRequired')
    await sendVerification(
      tx,
      context,
      { id: userId, language: user.language ?? call.language },
      pending.email,
    )
  })
  return pending
}

/**
 * Returns the address to verify: the new address if a change is pending, otherwise the member's current address.
 * `verified` is true if it is already verified.
 */
async function findEmailToVerify(db: MembersContext['db'], userId: string): Promise<VerificationResult> {
  const user = await selectUser(db, userId)
  const email = (await selectLatestLinkEmail(db, userId, 'verify')) ?? user?.email ?? undefined
  if (!user || email === undefined) throw new Refusal('notFound')
  return { verified: isSameEmail(user.email, email) && user.email_verified_at !== null, email }
}
