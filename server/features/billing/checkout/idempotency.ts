import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault, Refusal, refusals, type RefusalName } from '#contract/errors.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db } from '#server/tables.ts'
import { storeKeyResponse, claimKey, extendKeyLease } from './idempotency-queries.ts'

interface IdempotentRequest {
  userId: string
  /** The `Idempotency-Key`, if the client sent one. */
  key: string | undefined
  path: string
  body: object
  /** The current time by the site's clock. */
  now: Date
  /** The prefix of the reserved id: `ord` for an order, `pmc` for a method setup. */
  kind?: 'ord' | 'pmc'
}

/** A stored final response: the result of the request, or its refusal. */
type StoredResponse<T> = { info: T } | { refusal: RefusalName; info: Record<string, unknown> }

/** Refusals that say that the outcome of the request is unknown. */
const unknownOutcomes: readonly RefusalName[] = ['paymentOutcomeUnknown', 'methodSetupUnknown']

/**
 * Duration of a key's lease. The process that holds the key renews the lease each time a third of this duration has
 * passed. After a crash the lease expires, and another request takes over.
 */
const leaseSeconds = 15
const waitTimeoutMs = 90_000

/**
 * Runs a request once: the same user, key, path and body always get the same final answer, which may be a refusal. A
 * repeated request waits for that answer without holding a database connection. Faults and unknown outcomes
 * (`paymentOutcomeUnknown`, `methodSetupUnknown`) are not stored, so the next request runs the work again.
 * @param work computes the answer; it receives the id for the new record, which stays the same if the work runs again
 * @throws Refusal idempotencyKeyReused for the same key with another call or body
 */
export async function runIdempotently<T>(
  db: Db,
  request: IdempotentRequest,
  work: (reservedId: string) => Promise<T>,
): Promise<T> {
  const { userId, key, kind = 'ord' } = request
  if (key === undefined) return work(newId(kind))
  if (key.length > 255) throw new Fault('badRequest', 'Idempotency-Key is longer than 255 characters')
  const leaseOwner = randomUUID()
  const hash = hashBody(request.body)
  const claim = {
    user_id: userId,
    key,
    request_path: request.path,
    request_hash: hash,
    lease_owner: leaseOwner,
    reserved_id: newId(kind),
    created_at: request.now,
    seconds: leaseSeconds,
  }
  const deadline = Date.now() + waitTimeoutMs
  for (let pause = 20; Date.now() < deadline; pause = Math.min(pause * 2, 500)) {
    const row = await claimKey(db, claim)
    if (row && (row.request_path !== request.path || row.request_hash !== hash))
      throw new Refusal('idempotencyKeyReused')
    if (row?.response) return replay<T>(row.response)
    if (row?.lease_owner === leaseOwner)
      return runAndStoreResponse(db, { leaseOwner, userId, key }, () => work(row.reserved_id))
    await delay(pause)
  }
  throw new Fault('unavailable', undefined, 5)
}

interface KeyLease {
  leaseOwner: string
  userId: string
  key: string
}

async function runAndStoreResponse<T>(
  db: Db,
  { leaseOwner, userId, key }: KeyLease,
  work: () => Promise<T>,
): Promise<T> {
  const renewal = setInterval(
    () => {
      // If renewal fails, the lease expires and the next request repeats the work, which is safe.
      extendKeyLease(db, leaseOwner, userId, key, leaseSeconds).catch(() => {})
    },
    (leaseSeconds * 1000) / 3,
  )
  try {
    const info = await work()
    await storeKeyResponse(db, leaseOwner, userId, key, { info })
    return info
  } catch (error) {
    if (error instanceof Refusal && !unknownOutcomes.includes(error.reason)) {
      await storeKeyResponse(db, leaseOwner, userId, key, { refusal: error.reason, info: error.info })
    } else {
      await extendKeyLease(db, leaseOwner, userId, key, 0)
    }
    throw error
  } finally {
    clearInterval(renewal)
  }
}

function replay<T>(response: object): T {
  // The cast is safe: `runAndStoreResponse` stored this answer for the same call.
  const stored = response as StoredResponse<T>
  if (!('refusal' in stored)) return stored.info
  throw new Refusal(stored.refusal in refusals ? stored.refusal : 'paymentFailed', stored.info)
}

/** Hashes a request body without its ad click ids. The order of the fields does not change the hash. */
function hashBody(body: object): string {
  const { fbclid: _, ttclid: __, ...rest } = body as Record<string, unknown>
  return createHash('sha256').update(canonicalJson(rest)).digest('hex')
}

function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value) ?? ''
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join()}}`
}
