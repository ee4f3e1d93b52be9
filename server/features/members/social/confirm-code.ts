import type { confirmSocial } from '#contract/social.ts'
import { Refusal } from '#contract/errors.ts'
import { deleteFailures } from '#server/features/members/credentials/attempt-queries.ts'
import { answerInTransaction } from '#server/features/members/answer-in-transaction.ts'
import { auditCall, auditWrongCode } from '#server/features/members/audit-call.ts'
import { forgiveLogin, throttleLogin } from '#server/features/members/credentials/login-throttle.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { checkSecondFactor } from '#server/features/members/credentials/second-factor/second-factor.ts'
import { signInAs } from '#server/features/members/sessions/sign-in-as.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import { hasIdentity } from '#server/features/members/credentials/identity-queries.ts'
import { decryptTicket } from './social-flow.ts'

/**
 * Completes a social sign-in with the second factor. The attempts are counted like those of a password.
 * @throws Refusal socialFailed if the ticket is invalid, expired or of an identity that is not the member's any more,
 * secondFactorNeeded, codeWrong with the field, signedInAlready; Fault tooMany
 */
export async function confirmCode(
  context: MembersContext,
  call: Call<typeof confirmSocial>,
): Promise<Viewer> {
  const { db, clock, secret } = context
  const ticket = decryptTicket(secret, call.body.ticket)
  if (!ticket || clock.now().getTime() > ticket.endsAt) throw new Refusal('socialFailed')
  const { userId, provider, identityId } = ticket
  const tried = await throttleLogin(context, 'code', userId)
  const signingIn = answerInTransaction(db, call, async (tx, held) => {
    const viewer = await signInAs(context, tx, held, userId, async (account) => {
      // The owner may have unlinked the identity since.
      if (!(await hasIdentity(tx, userId, identityId))) throw new Refusal('socialFailed')
      await checkSecondFactor(tx, context, account, call.body.totp)
    })
    await deleteFailures(tx, tried.account)
    await auditCall(context, tx, held, 'signed_in', userId, { provider })
    return viewer
  })
  return signingIn
    .catch((error: unknown) => forgiveLogin(context, tried, error))
    .catch((error: unknown) => auditWrongCode(context, call, userId, error))
}
