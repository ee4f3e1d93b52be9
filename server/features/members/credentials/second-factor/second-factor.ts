import { Refusal } from '#contract/errors.ts'
import {
  hashRecoveryCode,
  createTotpEnrolment,
  makeRecoveryCodes,
  encryptTotpSecret,
  findCodeStep,
  normalizeCode,
  type TotpEnrolment,
} from '#server/platform/totp.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import * as queries from './second-factor-queries.ts'

/** The parts of the context that second factors need. */
type FactorContext = Pick<MembersContext, 'realClock' | 'secret' | 'operator'>

/** Returns whether a member has a confirmed second factor. */
export function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  return queries.hasConfirmedFactor(db, userId)
}

/**
 * Checks the second factor if one is set up. Runs in the transaction of the sign-in, so that a code works only once.
 * Accepts an unused recovery code, or an app code whose half minute is later than the half minute of the last accepted
 * code.
 * @throws Refusal secondFactorRequired if the code is missing; codeWrong if the code is wrong
 */
export async function checkSecondFactor(
  tx: Tx,
  context: FactorContext,
  { id }: { id: string },
  code: string | undefined,
  field = 'totp',
): Promise<void> {
  const factor = await queries.selectSecondFactor(tx, id)
  if (!factor?.confirmed_at) return
  if (code === undefined || code.trim() === '')
    throw new Refusal('secondFactorRequired', { second_factor: 'totp' })
  const parsedCode = normalizeCode(code)
  const isCorrect = parsedCode.isAppCode
    ? await verifyAppCode(tx, context, id, factor.encrypted_secret, parsedCode.code)
    : await queries.useRecoveryCode(tx, id, hashRecoveryCode(context.secret, id, parsedCode.code))
  if (!isCorrect) throw new Refusal('codeWrong', { field })
}

/**
 * Creates a secret for the authenticator app. Sign-ins do not require the second factor before it is confirmed.
 * @throws Refusal editConflict if a second factor is already set up
 */
export async function startSecondFactorSetup(
  tx: Tx,
  context: FactorContext,
  { id, email }: { id: string; email: string | null },
): Promise<TotpEnrolment> {
  const appSecret = createTotpEnrolment({ issuer: context.operator.site, label: email ?? id })
  if (
    !(await queries.upsertUnconfirmedFactor(tx, id, encryptTotpSecret(context.secret, appSecret.secret, id)))
  )
    throw new Refusal('editConflict')
  return appSecret
}

/**
 * Confirms the second factor with a first code of the app.
 * @returns recovery codes, each of which replaces the app at one sign-in; only their hashes are stored
 * @throws Refusal editConflict if no set-up was started or the second factor is already confirmed; codeWrong
 */
export async function confirmSecondFactor(
  tx: Tx,
  context: FactorContext,
  { id }: { id: string },
  code: string,
): Promise<string[]> {
  const factor = await queries.selectSecondFactor(tx, id)
  if (!factor || factor.confirmed_at) throw new Refusal('editConflict')
  if (!(await verifyAppCode(tx, context, id, factor.encrypted_secret, normalizeCode(code).code)))
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

/** Removes the factor, confirmed or not, and its recovery codes. */
export function removeSecondFactor(tx: Tx, userId: string): Promise<void> {
  return queries.deleteFactor(tx, userId)
}

/**
 * Verifies a code of the app and marks its half minute as used.
 * @returns false if the code is wrong, or if this or a later half minute was already used
 */
async function verifyAppCode(
  tx: Tx,
  { realClock, secret }: FactorContext,
  userId: string,
  encryptedSecret: Buffer,
  code: string,
): Promise<boolean> {
  const step = findCodeStep(secret, encryptedSecret, userId, code, realClock.now())
  return step !== undefined && queries.useTimeStep(tx, userId, step)
}
