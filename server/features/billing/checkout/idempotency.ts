import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault, Refusal, refusals, type RefusalName } from '#contract/errors.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db } from '#server/tables.ts'
import { answerKey, claimKey, extendKey } from './idempotency-queries.ts'

interface Request {
  userId: string
  /** The `Idempotency-Key`, where the caller sent one. */
  key: string | undefined
  path: string
  body: object
  /** By the site's clock. */
  now: Date
  /** Of what kind the id is that is reserved. */
  kind?: 'ord' | 'pmc'
}

/** A finished answer as it is kept: the record, or the refusal. */
type Kept<T> = { info: T } | { refusal: RefusalName; info: Record<string, unknown> }

/** There is no answer yet. */
const unfinished: readonly RefusalName[] = ['paymentUnknown', 'methodUnknown']

/** A holder that died is followed after this long; one that lives renews its lease three times as often. */
const leaseSeconds = 15
const patienceMs = 90_000

/**
 * Answers a request once: the same key, call and body of the same person give the same answer, refusals included, and
 * nobody gets one before it is final. A repeated call waits meanwhile, without holding a connection.
 * What failed without an answer (a fault) or has none yet (`paymentUnknown`, `methodUnknown`) is not kept.
 * @param work makes the answer; it is given the id for what it makes, the same one if a dead holder is followed
 * @throws Refusal keyReused for the same key with another call or body
 */
export async function answerOnce<T>(
  db: Db,
  request: Request,
  work: (reservedId: string) => Promise<T>,
): Promise<T> {
  const { userId, key, kind = 'ord' } = request
  if (key === undefined) return work(newId(kind))
  if (key.length > 255) throw new Fault('badRequest', 'Idempotency-Key is longer than 255 characters')
  const holder = randomUUID()
  const hash = hashOf(request.body)
  const claim = {
    user_id: userId,
    key,
    call: request.path,
    body_hash: hash,
    holder,
    reserved_id: newId(kind),
    created_at: request.now,
    seconds: leaseSeconds,
  }
  const deadline = Date.now() + patienceMs
  for (let pause = 20; Date.now() < deadline; pause = Math.min(pause * 2, 500)) {
    const row = await claimKey(db, claim)
    if (row && (row.call !== request.path || row.body_hash !== hash)) throw new Refusal('keyReused')
    if (row?.answer) return replay<T>(row.answer)
    if (row?.holder === holder) return answerAndKeep(db, { holder, userId, key }, () => work(row.reserved_id))
    await delay(pause)
  }
  throw new Fault('unavailable', undefined, 5)
}

interface Hold {
  holder: string
  userId: string
  key: string
}

async function answerAndKeep<T>(db: Db, { holder, userId, key }: Hold, work: () => Promise<T>): Promise<T> {
  const renewal = setInterval(
    () => {
      // A renewal that fails lets the lease lapse, and the next who asks does the work again, which is safe.
      extendKey(db, holder, userId, key, leaseSeconds).catch(() => {})
    },
    (leaseSeconds * 1000) / 3,
  )
  try {
    const info = await work()
    await answerKey(db, holder, userId, key, { info })
    return info
  } catch (error) {
    if (error instanceof Refusal && !unfinished.includes(error.reason)) {
      await answerKey(db, holder, userId, key, { refusal: error.reason, info: error.info })
    } else {
      await extendKey(db, holder, userId, key, 0)
    }
    throw error
  } finally {
    clearInterval(renewal)
  }
}

function replay<T>(answer: object): T {
  // Written by answerAndKeep, for the same call.
  const kept = answer as Kept<T>
  if (!('refusal' in kept)) return kept.info
  throw new Refusal(kept.refusal in refusals ? kept.refusal : 'paymentFailed', kept.info)
}

/** The ad click ids do not make a body another one (product.md, section 2), nor does the order of its fields. */
function hashOf(body: object): string {
  const { fbclid: _, ttclid: __, ...rest } = body as Record<string, unknown>
  return createHash('sha256').update(canonical(rest)).digest('hex')
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value) ?? ''
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join()}}`
}
