import type { acceptInvitation as acceptCall } from '#contract/studio/operators.ts'
import { Refusal } from '#contract/errors.ts'
import { inTransactionWithHeaders, checkPassword, hashPassword } from '#server/features/members/members.ts'
import type { Operator, OperatorCall } from '#server/platform/http/route.ts'
import {
  hashRecoveryCode,
  createTotpEnrolment,
  makeRecoveryCodes,
  encryptTotpSecret,
  findCodeStep,
  normalizeCode,
  type TotpEnrolment,
} from '#server/platform/totp.ts'
import type { Tx } from '#server/tables.ts'
import { dayMs } from '#server/platform/clock.ts'
import { hashSecret, newSecret } from '#server/platform/link-secrets.ts'
import * as queries from './operator-queries.ts'
import { startSession } from './operator-sessions.ts'
import { auditSignIn } from './sign-in.ts'
import type { StudioContext } from '#server/features/studio/studio-context.ts'

export interface Invitation {
  link: string
  expiresAt: Date
}

/**
 * Creates the one-time link with which an operator sets a password and a second factor. It replaces an earlier link,
 * and is valid for a day. The secret is in the URL fragment. Browsers do not send the fragment, so no log contains the
 * secret.
 */
export async function createInvitation(
  { realClock, publicUrl }: Pick<StudioContext, 'realClock' | 'publicUrl'>,
  tx: Tx,
  operatorId: string,
): Promise<Invitation> {
  const secret = newSecret()
  const expiresAt = new Date(realClock.now().getTime() + dayMs)
  await queries.upsertInvitation(tx, {
    operator_id: operatorId,
    secret_hash: hashSecret(secret),
    encrypted_totp_secret: null,
    expires_at: expiresAt,
  })
  return { link: `${publicUrl}/studio/welcome#invitation=${secret}`, expiresAt }
}

/**
 * Returns the operator of an invitation, with a new secret for their authenticator app. `acceptInvitation` confirms
 * that secret.
 * @throws Refusal linkExpired if the invitation is invalid or expired
 */
export async function openInvitation(
  { db, realClock, secret, operator }: StudioContext,
  invitation: string,
): Promise<TotpEnrolment & { email: string }> {
  const invitedOperator = await queries.selectInvitation(db, hashSecret(invitation), realClock.now())
  if (!invitedOperator) throw new Refusal('linkExpired')
  const appSecret = createTotpEnrolment({ issuer: `${operator.site} Studio`, label: invitedOperator.email })
  await queries.storeInvitationSecret(
    db,
    invitedOperator.id,
    encryptTotpSecret(secret, appSecret.secret, invitedOperator.id),
  )
  return { email: invitedOperator.email, ...appSecret }
}

/**
 * Sets the password and the second factor of an invited operator, and signs the operator in.
 * @returns the operator, and recovery codes. Each code can replace an authenticator code once. Only their hashes are
 * stored.
 * @throws Refusal linkExpired; passwordTooShort, passwordTooLong, passwordCommon, passwordsDiffer or codeWrong with the
 * field
 */
export async function acceptInvitation(
  context: StudioContext,
  call: OperatorCall<typeof acceptCall>,
): Promise<{ operator: Operator; recoveryCodes: string[] }> {
  const { db, realClock } = context
  const { secret, password, repeat_password, code } = call.body
  checkPassword(password, 'password')
  if (repeat_password !== password) throw new Refusal('passwordsDiffer', { field: 'repeat_password' })
  // Hashing a password is expensive, so callers without a valid invitation are refused first.
  if (!(await queries.selectInvitation(db, hashSecret(secret), realClock.now())))
    throw new Refusal('linkExpired')
  const password_hash = await hashPassword(password)
  return inTransactionWithHeaders(db, call, async (tx, deferredCall) => {
    const found = await queries.selectInvitation(tx, hashSecret(secret), realClock.now())
    if (!found || !(await queries.lockOperator(tx, found.id))) throw new Refusal('linkExpired')
    // Selects again after the lock: another call may have used the invitation, or the access may have been reset.
    const invited = await queries.selectInvitation(tx, hashSecret(secret), realClock.now())
    if (!invited) throw new Refusal('linkExpired')
    const { id, email, role, encrypted_totp_secret } = invited
    const step =
      encrypted_totp_secret &&
      findCodeStep(context.secret, encrypted_totp_secret, id, normalizeCode(code).code, realClock.now())
    if (step === null || step === undefined) throw new Refusal('codeWrong', { field: 'code' })
    const active_since = realClock.now()
    const factor = { encrypted_totp_secret, last_totp_step: step }
    await queries.updateOperator(tx, id, { password_hash, active_since, ...factor })
    await queries.deleteInvitation(tx, id)
    const recoveryCodes = makeRecoveryCodes()
    const hashes = recoveryCodes.map((each) => hashRecoveryCode(context.secret, id, each))
    await queries.replaceRecoveryCodes(tx, id, hashes)
    await auditSignIn(context, tx, call, 'operator_invitation_accepted', email)
    const sessionId = await startSession(context, tx, deferredCall, id)
    return { operator: { id, email, role, sessionId }, recoveryCodes }
  })
}
