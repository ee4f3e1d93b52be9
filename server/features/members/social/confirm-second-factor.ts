import type { confirmSocial } from '#contract/social.ts'
import { Refusal } from '#contract/errors.ts'
import { deleteLoginFailures } from '#server/features/members/credentials/login-attempt-queries.ts'
import { inTransactionWithHeaders } from '#server/features/members/in-transaction-with-headers.ts'
import { auditCall, auditWrongCode } from '#server/features/members/audit-call.ts'
import { rethrowLoginError, throttleLogin } from '#server/features/members/credentials/login-throttle.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { checkSecondFactor } from '#server/features/members/credentials/second-factor/second-factor.ts'
import { completeSignIn } from '#server/features/members/sessions/complete-sign-in.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import { hasIdentity } from '#server/features/members/credentials/identity-queries.ts'
import { readTicket } from './social-flow-state.ts'

/**
 * Completes a social sign-in with the second factor. Attempts are limited like attempts with a password.
 * @throws Refusal socialFailed if the ticket is invalid or expired, or if the member has unlinked the ticket's
 * identity; secondFactorRequired; codeWrong with the field; alreadySignedIn; Fault tooManyRequests
 */
export async function confirmSocialSecondFactor(
  context: MembersContext,
  call: Call<typeof confirmSocial>,
): Promise<Viewer> {
  const { db, clock, secret } = context
  const ticket = readTicket(secret, call.body.ticket)
  if (!ticket || clock.now().getTime() > ticket.endsAt) throw new Refusal('socialFailed')
  const { userId, provider, identityId } = ticket
  const attempt = await throttleLogin(context, 'code', userId)
  const result = inTransactionWithHeaders(db, call, async (tx, deferredCall) => {
    const viewer = await completeSignIn(context, tx, deferredCall, userId, async (account) => {
      // The owner may have unlinked the identity after the ticket was issued.
      if (!(await hasIdentity(tx, userId, identityId))) throw new Refusal('socialFailed')
      await checkSecondFactor(tx, context, account, call.body.totp)
    })
    await deleteLoginFailures(tx, attempt.accountKey)
    await auditCall(context, tx, deferredCall, 'signed_in', userId, { provider })
    return viewer
  })
  return result
    .catch((error: unknown) => rethrowLoginError(context, attempt, error))
    .catch((error: unknown) => auditWrongCode(context, call, userId, error))
}
