import { createHmac, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { Refusal } from '#contract/errors.ts'
import { keyOf, open, seal } from '#server/platform/seal.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { MembersContext } from './members-context.ts'
import * as queries from './second-factor-queries.ts'

/** What the figures and keys of a second factor come from. */
type FactorContext = Pick<MembersContext, 'clock' | 'secret' | 'operator'>

/** A code holds for its own half minute and the ones beside it: clocks differ, and people are slow. */
const stepSeconds = 30
const window = 1
/** As RFC 4226 advises for HMAC-SHA-1. */
const secretBytes = 20

const recoveryCodes = 10
const recoveryLength = 10
/** 32 signs that look like no other. */
const signs = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Whether a member has set up a second factor. */
export function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  return queries.isConfirmed(db, userId)
}

/**
 * Asks for the second factor of whoever has one, in the transaction of the sign-in, so that a code counts once: one of the
 * app's, of a later half minute than the last, or a recovery code that was not used yet.
 * @throws Refusal secondFactorNeeded where it is missing, codeWrong where it is not right
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
  const typed = code.toLowerCase().replaceAll(/[\s-]/g, '')
  const right = /^\d{6}$/.test(typed)
    ? await spendStep(tx, context, id, factor.sealed_secret, typed)
    : await queries.useRecoveryCode(tx, id, hashRecovery(context, id, typed))
  if (!right) throw new Refusal('codeWrong', { field })
}

/** Makes a secret for the authenticator app; nothing is asked of anybody before it is confirmed. @throws Refusal movedOn where there is a factor already */
export async function beginSecondFactor(
  tx: Tx,
  context: FactorContext,
  { id, email }: { id: string; email: string | null },
): Promise<{ secret: string; otpauth_url: string }> {
  const secret = new Secret({ size: secretBytes }).base32
  if (!(await queries.putFactor(tx, id, seal(sealingKey(context), secret, id)))) throw new Refusal('movedOn')
  return {
    secret,
    otpauth_url: totpOf(secret, { issuer: context.operator.site, label: email ?? id }).toString(),
  }
}

/**
 * Puts the factor in force with a first code of the app.
 * @returns codes that each sign in once without the app; only their hashes are kept
 * @throws Refusal movedOn where nothing was begun or it is in force already, codeWrong
 */
export async function confirmSecondFactor(
  tx: Tx,
  context: FactorContext,
  { id }: { id: string },
  code: string,
): Promise<string[]> {
  const factor = await queries.selectFactor(tx, id)
  if (!factor || factor.confirmed_at) throw new Refusal('movedOn')
  const typed = code.replaceAll(/\s/g, '')
  if (!(await spendStep(tx, context, id, factor.sealed_secret, typed)))
    throw new Refusal('codeWrong', { field: 'code' })
  const codes = Array.from({ length: recoveryCodes }, makeRecoveryCode)
  await queries.confirmFactor(tx, id, context.clock.now())
  await queries.insertRecoveryCodes(
    tx,
    id,
    codes.map((each) => hashRecovery(context, id, each.replace('-', ''))),
  )
  return codes
}

/** Takes the factor out of force, with its recovery codes; one that was only begun as well. */
export function removeSecondFactor(tx: Tx, userId: string): Promise<void> {
  return queries.deleteFactor(tx, userId)
}

/** Whether a code of the app is right and none of its half minute or a later one was used before; it is used then. */
async function spendStep(
  tx: Tx,
  context: FactorContext,
  userId: string,
  sealed: Buffer,
  token: string,
): Promise<boolean> {
  const timestamp = context.clock.now().getTime()
  const delta = totpOf(open(sealingKey(context), sealed, userId)).validate({ token, timestamp, window })
  if (delta === null) return false
  return queries.useStep(tx, userId, Math.floor(timestamp / 1000 / stepSeconds) + delta)
}

function totpOf(secret: string, names: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({ ...names, period: stepSeconds, secret: Secret.fromBase32(secret) })
}

const sealingKey = ({ secret }: FactorContext) => keyOf(secret, 'second factor')

/** Ten signs of five bits, in two halves that are easy to copy. */
function makeRecoveryCode(): string {
  const code = Array.from(randomBytes(recoveryLength), (byte) => signs.charAt(byte % signs.length)).join('')
  return `${code.slice(0, recoveryLength / 2)}-${code.slice(recoveryLength / 2)}`
}

/** Keyed: fifty bits could be tried through by who has the database alone. */
function hashRecovery({ secret }: FactorContext, userId: string, code: string): Buffer {
  return createHmac('sha256', keyOf(secret, 'recovery code')).update(`${userId}|${code}`).digest()
}
