import { availableParallelism } from 'node:os'
import { Fault, Refusal } from '#contract/errors.ts'
import { isCommonPassword } from './common-passwords.ts'
import { runHashing } from './run-hashing.ts'

/** Maximum number of concurrent hashes: 4, or fewer if 4 would leave no core for other calls. */
const maxConcurrent = Math.min(4, Math.max(1, availableParallelism() - 1))
/** Maximum length of the queue. Calls at the end of a longer queue would time out. */
const maxQueued = 200

/** The hash of a random password that nobody knows. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$Rn9TXW9qP1DvGXyppA0rMw$qIveU/FWCCEv480cEtC9mnJE1FKXu/08zydntVnOfxM'

let activeCount = 0
const queue: (() => void)[] = []

/**
 * Validates a password. It must have 8 to 128 characters of any kind, and must not be common.
 * @throws Refusal passwordTooShort, passwordTooLong, passwordCommon, with the field
 */
export function checkPassword(password: string, field: string): void {
  const { length } = [...password]
  if (length < 8) throw new Refusal('passwordTooShort', { field })
  if (length > 128) throw new Refusal('passwordTooLong', { field })
  if (isCommonPassword(password)) throw new Refusal('passwordCommon', { field })
}

/**
 * Hashes a password.
 * @throws Fault unavailable if too many passwords are queued
 */
export async function hashPassword(password: string): Promise<string> {
  return String(await withHashingSlot(() => runHashing({ password: normalizePassword(password) })))
}

/**
 * Verifies a password against a hash. Does the same work without a hash, so the response time does not reveal whether
 * there is an account with a password.
 * @throws Fault unavailable if too many passwords are queued
 */
export async function verifyPassword(
  passwordHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  const knownHash = passwordHash ?? dummyHash
  const isCorrect = await withHashingSlot(() =>
    runHashing({ password: normalizePassword(password), knownHash }),
  )
  return isCorrect === true && Boolean(passwordHash)
}

/** Normalises a password, because keyboards may type an accented letter as one character or as two. */
const normalizePassword = (password: string) => password.normalize('NFC')

async function withHashingSlot<T>(work: () => Promise<T>): Promise<T> {
  if (queue.length >= maxQueued) throw new Fault('unavailable', undefined, 5)
  if (activeCount >= maxConcurrent) await new Promise<void>((resolve) => queue.push(resolve))
  else activeCount++
  try {
    return await work()
  } finally {
    // Passes the slot on to the next call in the queue.
    const next = queue.shift()
    if (next) next()
    else activeCount--
  }
}
