import type { signIn as signInCall } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import { inTransactionWithHeaders } from '#server/features/members/in-transaction-with-headers.ts'
import { deleteLoginFailures } from '#server/features/members/credentials/login-attempt-queries.ts'
import { auditCall, auditWrongCode } from '#server/features/members/audit-call.ts'
import { checkEmail } from '#server/features/members/credentials/check-profile.ts'
import { findKnownDevice, rememberDevice } from '#server/features/members/sessions/device-cookie.ts'
import {
  rethrowLoginError,
  limitByNetwork,
  throttleLogin,
} from '#server/features/members/credentials/login-throttle.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { verifyPassword } from '#server/features/members/credentials/passwords/passwords.ts'
import { selectUserByEmail } from '#server/features/members/user-queries.ts'
import { checkSecondFactor } from '#server/features/members/credentials/second-factor/second-factor.ts'
import { completeSignIn } from '#server/features/members/sessions/complete-sign-in.ts'

const signInWrong = () => new Refusal('signInWrong', { field: 'password' })

/**
 * Signs in with e-mail and password, and the second factor if one is set up. An unknown address takes the same work as
 * a wrong password, so the response time does not reveal whether there is an account.
 * @throws Refusal emailInvalid, signInWrong, secondFactorRequired, codeWrong, alreadySignedIn; Fault tooManyRequests
 */
export async function signIn(context: MembersContext, call: Call<typeof signInCall>): Promise<Viewer> {
  const { db } = context
  const { email, password, totp } = call.body
  checkEmail(email)
  await limitByNetwork(context, 'sign-in', call.ip)
  const device = findKnownDevice(context, call, 'device', email)
  const attempt = await throttleLogin(context, 'sign-in', emailLookupKey(email), device)
  const user = await selectUserByEmail(db, email)
  const isPasswordCorrect = await verifyPassword(user?.password_hash, password)
  if (!user || !isPasswordCorrect) {
    await auditCall(context, db, call, 'sign_in_failed', user?.id ?? null)
    throw signInWrong()
  }
  const result = inTransactionWithHeaders(db, call, async (tx, deferredCall) => {
    const viewer = await completeSignIn(context, tx, deferredCall, user.id, async (lockedUser) => {
      // If the password was changed while the old one was being verified, no session may start with the old password.
      if (lockedUser.password_hash !== user.password_hash) throw signInWrong()
      await checkSecondFactor(tx, context, lockedUser, totp)
    })
    await deleteLoginFailures(tx, attempt.accountKey)
    await auditCall(context, tx, deferredCall, 'signed_in', user.id)
    rememberDevice(context, deferredCall, 'device', email)
    return viewer
  })
  return result
    .catch((error: unknown) => rethrowLoginError(context, attempt, error))
    .catch((error: unknown) => auditWrongCode(context, call, user.id, error))
}
