import { availableParallelism } from 'node:os'
import { Fault, Refusal } from '#contract/errors.ts'
import { isCommonPassword } from './common-passwords.ts'
import { runHashing } from './run-hashing.ts'

/** At most 4 at a time, and a core is left for everybody else's calls. */
const mostAtOnce = Math.min(4, Math.max(1, availableParallelism() - 1))
/** Longer queues than this would only time out. */
const mostWaiting = 200

/** Of a password that was thrown away as soon as it was made. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$Rn9TXW9qP1DvGXyppA0rMw$qIveU/FWCCEv480cEtC9mnJE1FKXu/08zydntVnOfxM'

let running = 0
const waiting: (() => void)[] = []

/**
 * 8 to 128 characters, any, and none that attackers try first (product.md, section 6).
 * @throws Refusal passwordTooShort, passwordTooLong, passwordCommon, with the field
 */
export function checkPassword(password: string, field: string): void {
  const { length } = [...password]
  if (length < 8) throw new Refusal('passwordTooShort', { field })
  if (length > 128) throw new Refusal('passwordTooLong', { field })
  if (isCommonPassword(password)) throw new Refusal('passwordCommon', { field })
}

/** @throws Fault unavailable where too many wait already */
export async function hashPassword(password: string): Promise<string> {
  return String(await inTurn(() => runHashing({ password: asTyped(password) })))
}

/**
 * Whether a password belongs to a hash. Where there is no account, or it has no password, the same work is done for
 * nothing, so that the time tells nobody which it was.
 * @throws Fault unavailable where too many wait already
 */
export async function verifyPassword(
  passwordHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  const known = passwordHash ?? nobodysHash
  const right = await inTurn(() => runHashing({ password: asTyped(password), known }))
  return right === true && Boolean(passwordHash)
}

/** The same letter may be typed as one character or as two, depending on the keyboard. */
const asTyped = (password: string) => password.normalize('NFC')

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= mostWaiting) throw new Fault('unavailable', undefined, 5)
  if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await work()
  } finally {
    // The place goes straight to the next in line.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
