import type { registerUser } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { answerInTransaction } from '#server/features/members/answer-in-transaction.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { checkEmail, checkName } from '#server/features/members/credentials/check-profile.ts'
import { rememberDevice } from '#server/features/members/sessions/device-cookie.ts'
import { welcomeNewcomer } from '#server/features/members/lifecycle-hooks.ts'
import { limitNetwork } from '#server/features/members/credentials/login-throttle.ts'
import { forgetGuest, type MembersContext } from '#server/features/members/members-context.ts'
import { newGuest } from '#server/features/members/sessions/viewer.ts'
import { checkPassword, hashPassword } from '#server/features/members/credentials/passwords/passwords.ts'
import {
  insertUser,
  isEmailTaken,
  lockUser,
  updateUser,
  type UserRow,
} from '#server/features/members/queries.ts'
import { sendVerification } from '#server/features/members/credentials/send-verification.ts'
import { startSession } from '#server/features/members/sessions/sessions.ts'
import { isGuest } from '#server/features/members/sessions/sign-in-as.ts'
import { mailWhereTaken } from '#server/features/members/credentials/email-taken-mail.ts'

type RegisterCall = Call<typeof registerUser>

/**
 * Turns the calling guest into a member, with its id and all its data, and signs in. The password is hashed before the address is
 * looked up, so that the response time does not reveal whether it is taken.
 * @throws Refusal emailInvalid, passwordTooShort, passwordTooLong, passwordCommon, passwordsDiffer, nameInvalid and emailTaken, with
 * the field; signedInAlready; Fault tooMany
 */
export async function register(context: MembersContext, call: RegisterCall): Promise<Viewer> {
  const { email, password, repeat_password, display_name } = call.body
  if (call.viewer?.role === 'member') throw new Refusal('signedInAlready')
  checkEmail(email)
  checkPassword(password, 'password')
  if (repeat_password !== password) throw new Refusal('passwordsDiffer', { field: 'repeat_password' })
  const name = display_name === undefined ? undefined : checkName(display_name, 'display_name')
  await limitNetwork(context, 'register', call.ip)
  const password_hash = await hashPassword(password)
  const registering = answerInTransaction(context.db, call, async (tx, held) => {
    const { id, language } = await lockGuest(context, tx, call)
    await becomeMember(tx, id, { email, password_hash, display_name: name })
    await auditCall(context, tx, call, 'registered', id)
    const newcomer = { id, email, userAgent: call.userAgent, adIds: call.adIds() }
    await welcomeNewcomer(context.lifecycleHooks, tx, newcomer)
    await sendVerification(tx, context, { id, language: language ?? call.language }, email)
    rememberDevice(context, held, 'device', email)
    return startSession(context, tx, held, id)
  })
  return registering.catch((error: unknown) => mailWhereTaken(context, email, error))
}

/** Locks the guest's row, creating it if needed. @throws Refusal signedInAlready if another call has just made it a member */
async function lockGuest(context: MembersContext, tx: Tx, call: RegisterCall): Promise<UserRow> {
  const { userId: id } = call.viewer ?? newGuest()
  await insertUser(tx, { id, language: call.language, created_at: context.clock.now() })
  const row = await lockUser(tx, id)
  if (row && isGuest(row)) return row
  forgetGuest(context, call)
  throw new Refusal(row?.member_since ? 'signedInAlready' : 'signInFirst')
}

interface Credentials {
  email: string
  password_hash: string
  display_name: string | undefined
}

async function becomeMember(tx: Tx, id: string, credentials: Credentials): Promise<void> {
  try {
    await updateUser(tx, id, credentials)
  } catch (error) {
    throw isEmailTaken(error) ? new Refusal('emailTaken', { field: 'email' }) : error
  }
}
