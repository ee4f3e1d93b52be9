import type { openStudioSession } from '#contract/studio/operators.ts'
import { Fault, Refusal } from '#contract/errors.ts'
import {
  inTransactionWithHeaders,
  checkEmail,
  deleteLoginFailures,
  rethrowLoginError,
  findKnownDevice,
  limitByNetwork,
  throttleLogin,
  rememberDevice,
  verifyPassword,
} from '#server/features/members/members.ts'
import { hashNetwork, writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import { countAttemptOfNetworks } from '#server/platform/database/attempt-limits.ts'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Operator, OperatorCall } from '#server/platform/http/route.ts'
import { hashRecoveryCode, findCodeStep, normalizeCode } from '#server/platform/totp.ts'
import type { Db, Tx } from '#server/tables.ts'
import { lockOperator, selectOperatorByEmail, useRecoveryCode, useTimeStep } from './operator-queries.ts'
import { startSession } from './operator-sessions.ts'
import type { StudioContext } from '#server/features/studio/studio-context.ts'

type SignInCall = OperatorCall<typeof openStudioSession>
type OperatorRow = NonNullable<Awaited<ReturnType<typeof lockOperator>>>

const signInWrong = () => new Refusal('signInWrong', { field: 'password' })

/**
 * Signs an operator in with e-mail address, password and second factor, all of which are required. An unknown address
 * takes the same work and delays as a wrong password, so callers cannot find out which addresses exist.
 * @throws Refusal emailInvalid, signInWrong, secondFactorRequired, codeWrong; Fault tooManyRequests
 */
export async function signIn(context: StudioContext, call: SignInCall): Promise<Operator> {
  const { db } = context
  const { email, password, totp } = call.body
  checkEmail(email)
  await limitByNetwork(context, 'sign-in', call.ip)
  const device = findKnownDevice(context, call, 'operator_device', email)
  const attempt = await throttleLogin(context, 'operator', emailLookupKey(email), device)
  const operatorRow = await selectOperatorByEmail(db, email)
  const isPasswordCorrect = await verifyPassword(operatorRow?.password_hash, password)
  if (!operatorRow || !isPasswordCorrect) {
    await auditSignInFailure(context, call, operatorRow?.email, { password: 'wrong' })
    throw signInWrong()
  }
  const result = inTransactionWithHeaders(db, call, async (tx, deferredCall) => {
    const operator = await lockOperator(tx, operatorRow.id)
    // The access may have been reset while the password was being verified.
    if (operator?.password_hash !== operatorRow.password_hash) throw signInWrong()
    await checkCode(context, tx, operator, totp)
    await deleteLoginFailures(tx, attempt.accountKey)
    await auditSignIn(context, tx, call, 'operator_signed_in', operator.email)
    rememberDevice(context, deferredCall, 'operator_device', email)
    const { id, role } = operator
    return { id, email: operator.email, role, sessionId: await startSession(context, tx, deferredCall, id) }
  })
  return result
    .catch((error: unknown) => rethrowLoginError(context, attempt, error))
    .catch(async (error: unknown) => {
      if (error instanceof Refusal && error.reason === 'codeWrong')
        await auditSignInFailure(context, call, operatorRow.email, { password: 'right', code: 'wrong' })
      throw error
    })
}

/** Maximum number of audit-log entries per network for failed sign-ins with unknown addresses. */
const unknownAddressLimit = { max: 30, seconds: 3600 }

/**
 * Writes a failed sign-in to the audit log. For a known address, the lockout (`throttleLogin`) limits the number of
 * entries. For unknown addresses, `unknownAddressLimit` does.
 */
async function auditSignInFailure(
  context: StudioContext,
  call: Pick<OperatorCall, 'ip'>,
  email: string | undefined,
  details: Record<string, string>,
): Promise<void> {
  const { db, clock, secret } = context
  if (email === undefined) {
    const counted = { secret, kind: 'unknown-operator', ip: call.ip }
    const turn = countAttemptOfNetworks(db, counted, unknownAddressLimit, clock.now())
    const isLimited = await turn.then(
      () => false,
      (error: unknown) => {
        if (error instanceof Fault) return true
        throw error
      },
    )
    if (isLimited) return
  }
  await auditSignIn(context, db, call, 'operator_sign_in_failed', email, details)
}

/** Writes the start, failure or end of an operator's session to the audit log. */
export function auditSignIn(
  { clock, secret }: StudioContext,
  db: Db,
  call: Pick<OperatorCall, 'ip'>,
  event:
    | 'operator_signed_in'
    | 'operator_sign_in_failed'
    | 'operator_signed_out'
    | 'operator_invitation_accepted',
  email: string | undefined,
  details: Record<string, string> = {},
): Promise<void> {
  const at = clock.now()
  return writeAuditEvent(db, {
    event,
    userId: null,
    networkHash: hashNetwork(secret, call.ip),
    at,
    details,
    ...(email === undefined ? {} : { operator: email }),
  })
}

async function checkCode(
  { realClock, secret }: StudioContext,
  tx: Tx,
  operator: OperatorRow,
  code: string | undefined,
): Promise<void> {
  if (code === undefined || code.trim() === '')
    throw new Refusal('secondFactorRequired', { second_factor: 'totp' })
  const { id, encrypted_totp_secret: encryptedSecret } = operator
  const parsedCode = normalizeCode(code)
  const step =
    parsedCode.isAppCode && encryptedSecret
      ? findCodeStep(secret, encryptedSecret, id, parsedCode.code, realClock.now())
      : undefined
  const isCorrect = parsedCode.isAppCode
    ? step !== undefined && (await useTimeStep(tx, id, step))
    : await useRecoveryCode(tx, id, hashRecoveryCode(secret, id, parsedCode.code))
  if (!isCorrect) throw new Refusal('codeWrong', { field: 'totp' })
}
