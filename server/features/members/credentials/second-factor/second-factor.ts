import { Refusal } from '#contract/errors.ts'
import {
  hashRecoveryCode,
  makeAppSecret,
  makeRecoveryCodes,
  encryptAppSecret,
  stepOfCode,
  typedCode,
  type AppSecret,
} from '#server/platform/totp.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import * as queries from './second-factor-queries.ts'

/** What the figures and keys of a second factor come from. */
type FactorContext = Pick<MembersContext, 'realClock' | 'secret' | 'operator'>

/** Whether a member has set up a second factor. */
export function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  return queries.isConfirmed(db, userId)
}

/**
 * Asks for the second factor of whoever has one, in the transaction of the sign-in, so that a code counts once: one of the
 * app's, of a later half minute than the last, or a recovery code that was not used yet.
 * @throws Refusal secondFactorNeeded if it is missing, codeWrong if it is wrong
 */
export async function checkSecondFactor(
  tx: Tx,
  context: FactorContext,
  { id }: { id: string },
  code: string | undefined,
  field = 'totp',
): Promise<void> {
  const factor = await queries.selectFactor(tx, id)
  if (!factor?.confirmed_at) return
  if (code === undefined || code.trim() === '')
    throw new Refusal('secondFactorNeeded', { second_factor: 'totp' })
  const typed = typedCode(code)
  const right = typed.ofApp
    ? await spendStep(tx, context, id, factor.encrypted_secret, typed.code)
    : await queries.useRecoveryCode(tx, id, hashRecoveryCode(context.secret, id, typed.code))
  if (!right) throw new Refusal('codeWrong', { field })
}

/** Creates a secret for the authenticator app; it is not required before it is confirmed. @throws Refusal movedOn if a factor is already set up */
export async function beginSecondFactor(
  tx: Tx,
  context: FactorContext,
  { id, email }: { id: string; email: string | null },
): Promise<AppSecret> {
  const made = makeAppSecret({ issuer: context.operator.site, label: email ?? id })
  if (!(await queries.putFactor(tx, id, encryptAppSecret(context.secret, made.secret, id))))
    throw new Refusal('movedOn')
  return made
}

/**
 * Puts the factor in force with a first code of the app.
 * @returns codes that each sign in once without the app; only their hashes are kept
 * @throws Refusal movedOn if none was started or it is already on, codeWrong
 */
export async function confirmSecondFactor(
  tx: Tx,
  context: FactorContext,
  { id }: { id: string },
  code: string,
): Promise<string[]> {
  const factor = await queries.selectFactor(tx, id)
  if (!factor || factor.confirmed_at) throw new Refusal('movedOn')
  if (!(await spendStep(tx, context, id, factor.encrypted_secret, typedCode(code).code)))
    throw new Refusal('codeWrong', { field: 'code' })
  const codes = makeRecoveryCodes()
  await queries.confirmFactor(tx, id, context.realClock.now())
  await queries.insertRecoveryCodes(
    tx,
    id,
    codes.map((each) => hashRecoveryCode(context.secret, id, each)),
  )
  return codes
}

/** Turns the factor off and deletes its recovery codes; also an unconfirmed one. */
export function removeSecondFactor(tx: Tx, userId: string): Promise<void> {
  return queries.deleteFactor(tx, userId)
}

/** Whether a code of the app is right and none of its half minute or a later one was used before; it is used then. */
async function spendStep(
  tx: Tx,
  { realClock, secret }: FactorContext,
  userId: string,
  sealed: Buffer,
  code: string,
): Promise<boolean> {
  const step = stepOfCode(secret, sealed, userId, code, realClock.now())
  return step !== undefined && queries.useStep(tx, userId, step)
}
