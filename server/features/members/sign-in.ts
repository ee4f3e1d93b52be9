import type { signIn as signInCall } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import { keyFor, takeTurn } from '#server/platform/database/limits.ts'
import { networkOf } from '#server/platform/http/network-of.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import { deleteFailures } from './attempt-queries.ts'
import { auditCall } from './audit-call.ts'
import { checkEmail } from './check-person.ts'
import { limitTries } from './limit-tries.ts'
import type { MembersContext } from './members-context.ts'
import { verifyPassword } from './passwords.ts'
import { selectUser, selectUserByEmail, type UserRow } from './queries.ts'
import { checkSecondFactor } from './second-factor.ts'
import { signInAs } from './sign-in-as.ts'

const wrong = () => new Refusal('signInWrong', { field: 'password' })

/**
 * Signs in with e-mail and password, and the second factor of who has one. An unknown address goes the same way as a
 * wrong password, with the same work (security.md, "No enumeration").
 * @throws Refusal emailInvalid, signInWrong, secondFactorNeeded, codeWrong, signedInAlready; Fault tooMany
 */
export async function signIn(context: MembersContext, call: Call<typeof signInCall>): Promise<Viewer> {
  const { db, clock, secret, limits } = context
  const { email, password, totp } = call.body
  checkEmail(email)
  await takeTurn(db, keyFor(secret, 'sign-in-ip', networkOf(call.ip)), limits.signInIp, clock.now())
  const account = await limitTries(context, 'sign-in', email.toLowerCase())
  const user = await selectUserByEmail(db, email)
  const right = await verifyPassword(user?.password_hash, password)
  if (!user || !right) {
    await auditCall(context, db, call, 'sign_in_failed', user?.id ?? null)
    throw wrong()
  }
  return db.transaction().execute(async (tx) => {
    await checkSecondFactor(tx, context, user, totp)
    const viewer = await signInAs(context, tx, call, user.id)
    requireSamePassword(await selectUser(tx, user.id), user)
    await deleteFailures(tx, account)
    await auditCall(context, tx, call, 'signed_in', user.id)
    return viewer
  })
}

/** The password may have been changed, which ends sessions, while this one was being verified. */
function requireSamePassword(now: UserRow | undefined, before: UserRow): void {
  if (now?.password_hash !== before.password_hash) throw wrong()
}
