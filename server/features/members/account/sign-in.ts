import type { signIn as signInCall } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import { foldEmail } from '#server/platform/email-address.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import { answerInTransaction } from '#server/features/members/answer-in-transaction.ts'
import { deleteFailures } from '#server/features/members/credentials/attempt-queries.ts'
import { auditCall, auditWrongCode } from '#server/features/members/audit-call.ts'
import { checkEmail } from '#server/features/members/credentials/check-profile.ts'
import { knownDevice, rememberDevice } from '#server/features/members/sessions/device-cookie.ts'
import {
  forgiveLogin,
  limitNetwork,
  throttleLogin,
} from '#server/features/members/credentials/login-throttle.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { verifyPassword } from '#server/features/members/credentials/passwords/passwords.ts'
import { selectUserByEmail } from '#server/features/members/queries.ts'
import { checkSecondFactor } from '#server/features/members/credentials/second-factor/second-factor.ts'
import { signInAs } from '#server/features/members/sessions/sign-in-as.ts'

const wrong = () => new Refusal('signInWrong', { field: 'password' })

/**
 * Signs in with e-mail and password, and the second factor if one is set up. An unknown address takes the same path as a wrong
 * password, with the same work, so that the response time does not reveal it.
 * @throws Refusal emailInvalid, signInWrong, secondFactorNeeded, codeWrong, signedInAlready; Fault tooMany
 */
export async function signIn(context: MembersContext, call: Call<typeof signInCall>): Promise<Viewer> {
  const { db } = context
  const { email, password, totp } = call.body
  checkEmail(email)
  await limitNetwork(context, 'sign-in', call.ip)
  const device = knownDevice(context, call, 'device', email)
  const tried = await throttleLogin(context, 'sign-in', foldEmail(email), device)
  const user = await selectUserByEmail(db, email)
  const right = await verifyPassword(user?.password_hash, password)
  if (!user || !right) {
    await auditCall(context, db, call, 'sign_in_failed', user?.id ?? null)
    throw wrong()
  }
  const signingIn = answerInTransaction(db, call, async (tx, held) => {
    const viewer = await signInAs(context, tx, held, user.id, async (now) => {
      // The password may have been changed, which ends sessions, while this one was being verified.
      if (now.password_hash !== user.password_hash) throw wrong()
      await checkSecondFactor(tx, context, now, totp)
    })
    await deleteFailures(tx, tried.account)
    await auditCall(context, tx, held, 'signed_in', user.id)
    rememberDevice(context, held, 'device', email)
    return viewer
  })
  return signingIn
    .catch((error: unknown) => forgiveLogin(context, tried, error))
    .catch((error: unknown) => auditWrongCode(context, call, user.id, error))
}
