import type { openStudioSession } from '#contract/studio/operators.ts'
import { Fault, Refusal } from '#contract/errors.ts'
import {
  answerInTransaction,
  checkEmail,
  deleteFailures,
  forgiveLogin,
  knownDevice,
  limitNetwork,
  throttleLogin,
  rememberDevice,
  verifyPassword,
} from '#server/features/members/members.ts'
import { originOf, writeAudit } from '#server/platform/database/audit.ts'
import { takeTurnOfNetworks } from '#server/platform/database/limits.ts'
import { foldEmail } from '#server/platform/email-address.ts'
import type { Operator, OperatorCall } from '#server/platform/http/route.ts'
import { hashRecoveryCode, stepOfCode, typedCode } from '#server/platform/totp.ts'
import type { Db, Tx } from '#server/tables.ts'
import { lockOperator, selectOperatorByEmail, useRecoveryCode, useStep } from './operator-queries.ts'
import { startSession } from './operator-sessions.ts'
import type { StudioContext } from '#server/features/studio/studio-context.ts'

type SignInCall = OperatorCall<typeof openStudioSession>
type OperatorRow = NonNullable<Awaited<ReturnType<typeof lockOperator>>>

const wrong = () => new Refusal('signInWrong', { field: 'password' })

/**
 * Signs an operator in with e-mail, password and second factor, all of them required. An unknown address is handled like a wrong
 * password, with the same work and the same delays.
 * @throws Refusal emailInvalid, signInWrong, secondFactorNeeded, codeWrong; Fault tooMany
 */
export async function signIn(context: StudioContext, call: SignInCall): Promise<Operator> {
  const { db } = context
  const { email, password, totp } = call.body
  checkEmail(email)
  await limitNetwork(context, 'sign-in', call.ip)
  const device = knownDevice(context, call, 'operator_device', email)
  const tried = await throttleLogin(context, 'operator', foldEmail(email), device)
  const known = await selectOperatorByEmail(db, email)
  const right = await verifyPassword(known?.password_hash, password)
  if (!known || !right) {
    await noteFailure(context, call, known?.email, { password: 'wrong' })
    throw wrong()
  }
  const signingIn = answerInTransaction(db, call, async (tx, held) => {
    const operator = await lockOperator(tx, known.id)
    // It may have been reset while the password was being verified.
    if (operator?.password_hash !== known.password_hash) throw wrong()
    await checkCode(context, tx, operator, totp)
    await deleteFailures(tx, tried.account)
    await note(context, tx, call, 'operator_signed_in', operator.email)
    rememberDevice(context, held, 'operator_device', email)
    const { id, role } = operator
    return { id, email: operator.email, role, sessionId: await startSession(context, tx, held, id) }
  })
  return signingIn
    .catch((error: unknown) => forgiveLogin(context, tried, error))
    .catch(async (error: unknown) => {
      if (error instanceof Refusal && error.reason === 'codeWrong')
        await noteFailure(context, call, known.email, { password: 'right', code: 'wrong' })
      throw error
    })
}

/** Maximum number of audit entries for failed sign-ins with unknown addresses. */
const unknownLines = { max: 30, seconds: 3600 }

/**
 * Records a failed sign-in. For a known address attempts are few because of its lockout (`throttleLogin`); for others, entries are
 * limited per network and hour.
 */
async function noteFailure(
  context: StudioContext,
  call: Pick<OperatorCall, 'ip'>,
  email: string | undefined,
  details: Record<string, string>,
): Promise<void> {
  const { db, clock, secret } = context
  if (email === undefined) {
    const counted = { secret, kind: 'unknown-operator', ip: call.ip }
    const turn = takeTurnOfNetworks(db, counted, unknownLines, clock.now())
    const isOver = await turn.then(
      () => false,
      (error: unknown) => {
        if (error instanceof Fault) return true
        throw error
      },
    )
    if (isOver) return
  }
  await note(context, db, call, 'operator_sign_in_failed', email, details)
}

/** Records the result of a sign-in in its transaction. */
export function note(
  { clock, secret }: StudioContext,
  db: Db,
  call: Pick<OperatorCall, 'ip'>,
  event: 'operator_signed_in' | 'operator_sign_in_failed' | 'operator_signed_out' | 'operator_let_in',
  email: string | undefined,
  details: Record<string, string> = {},
): Promise<void> {
  const at = clock.now()
  return writeAudit(db, {
    event,
    userId: null,
    origin: originOf(secret, call.ip),
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
    throw new Refusal('secondFactorNeeded', { second_factor: 'totp' })
  const { id, encrypted_totp_secret: sealed } = operator
  const typed = typedCode(code)
  const step = typed.ofApp && sealed ? stepOfCode(secret, sealed, id, typed.code, realClock.now()) : undefined
  const right = typed.ofApp
    ? step !== undefined && (await useStep(tx, id, step))
    : await useRecoveryCode(tx, id, hashRecoveryCode(secret, id, typed.code))
  if (!right) throw new Refusal('codeWrong', { field: 'totp' })
}
