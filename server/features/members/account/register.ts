import type { registerUser } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { inTransactionWithHeaders } from '#server/features/members/in-transaction-with-headers.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { checkEmail, checkName } from '#server/features/members/credentials/check-profile.ts'
import { rememberDevice } from '#server/features/members/sessions/device-cookie.ts'
import { runRegistrationHooks } from '#server/features/members/lifecycle-hooks.ts'
import { limitByNetwork } from '#server/features/members/credentials/login-throttle.ts'
import { clearGuestCookie, type MembersContext } from '#server/features/members/members-context.ts'
import { newGuest } from '#server/features/members/sessions/viewer.ts'
import { checkPassword, hashPassword } from '#server/features/members/credentials/passwords/passwords.ts'
import {
  insertUser,
  isEmailTaken,
  lockUser,
  updateUser,
  type UserRow,
} from '#server/features/members/user-queries.ts'
import { sendVerification } from '#server/features/members/credentials/send-verification.ts'
import { startSession } from '#server/features/members/sessions/sessions.ts'
import { isGuest } from '#server/features/members/sessions/merge-guest.ts'
import { mailIfEmailTaken } from '#server/features/members/credentials/email-taken-mail.ts'

type RegisterCall = Call<typeof registerUser>

/**
 * Registers the calling guest as a member with the guest's id and data, and starts a session. The password is hashed
 * before the address is looked up, so that an attempt takes the same work whether or not the address is taken.
 * @throws Refusal emailInvalid, passwordTooShort, passwordTooLong, passwordCommon, passwordsDiffer, nameInvalid and
 * emailTaken, with the field; alreadySignedIn, signInRequired; Fault tooManyRequests
 */
export async function register(context: MembersContext, call: RegisterCall): Promise<Viewer> {
  const { email, password, repeat_password, display_name } = call.body
  if (call.viewer?.role === 'member') throw new Refusal('alreadySignedIn')
  checkEmail(email)
  checkPassword(password, 'password')
  if (repeat_password !== password) throw new Refusal('passwordsDiffer', { field: 'repeat_password' })
  const name = display_name === undefined ? undefined : checkName(display_name, 'display_name')
  await limitByNetwork(context, 'register', call.ip)
  const password_hash = await hashPassword(password)
  const result = inTransactionWithHeaders(context.db, call, async (tx, deferredCall) => {
    const { id, language } = await lockGuest(context, tx, call)
    await storeCredentials(tx, id, { email, password_hash, display_name: name })
    await auditCall(context, tx, call, 'account_created', id)
    const newMember = { id, email, userAgent: call.userAgent, adIds: call.adIds() }
    await runRegistrationHooks(context.lifecycleHooks, tx, newMember)
    await sendVerification(tx, context, { id, language: language ?? call.language }, email)
    rememberDevice(context, deferredCall, 'device', email)
    return startSession(context, tx, deferredCall, id)
  })
  return result.catch((error: unknown) => mailIfEmailTaken(context, email, error))
}

/**
 * Locks the guest's row. If the row is missing, inserts it first.
 * @throws Refusal alreadySignedIn if another call has just registered the guest; signInRequired if the guest was merged
 * or deleted
 */
async function lockGuest(context: MembersContext, tx: Tx, call: RegisterCall): Promise<UserRow> {
  const { userId: id } = call.viewer ?? newGuest()
  await insertUser(tx, { id, language: call.language, created_at: context.clock.now() })
  const row = await lockUser(tx, id)
  if (row && isGuest(row)) return row
  clearGuestCookie(context, call)
  throw new Refusal(row?.member_since ? 'alreadySignedIn' : 'signInRequired')
}

interface Credentials {
  email: string
  password_hash: string
  display_name: string | undefined
}

async function storeCredentials(tx: Tx, id: string, credentials: Credentials): Promise<void> {
  try {
    await updateUser(tx, id, credentials)
  } catch (error) {
    throw isEmailTaken(error) ? new Refusal('emailTaken', { field: 'email' }) : error
  }
}
