import type { NetworkFault } from '#server/features/billing/gateways/contract-tests/gateway-harness.ts'
import type { Clock } from '#server/platform/clock.ts'
import { StripeApiError, type Dict } from './fake-stripe-store.ts'

const ttlMs = 24 * 60 * 60_000

interface FakeResponse {
  status: number
  body: Dict
}

interface StoredResponse {
  fingerprint: string
  at: number
  /** Undefined while the request is in progress. */
  answer?: FakeResponse
}

/** Idempotency keys as Stripe implements them. */
export class FakeStripeIdempotency {
  /** Number of distinct requests for each key. */
  readonly keys = new Map<string, number>()
  readonly #stored = new Map<string, StoredResponse>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Responds to a request. Stores the first response for a key for a day, including declines and status 500. Responses
   * with status 400 or 404 are not stored.
   * @param key undefined for a request without an idempotency key
   */
  async run(
    key: string | undefined,
    fingerprint: string,
    work: () => Dict,
    fault: { fault: NetworkFault; over: Promise<void> } | undefined,
  ): Promise<FakeResponse> {
    const now = this.#clock.now().getTime()
    const earlier = key === undefined ? undefined : this.#stored.get(key)
    if (earlier && now - earlier.at < ttlMs) {
      if (earlier.fingerprint !== fingerprint)
        return errorResponse(400, 'idempotency_error', 'idempotency_key_reused')
      return earlier.answer ?? errorResponse(409, 'idempotency_error', 'idempotency_key_in_use')
    }
    if (key !== undefined) this.keys.set(key, (this.keys.get(key) ?? 0) + 1)
    const entry: StoredResponse = { fingerprint, at: now }
    const answer = captureResponse(work)
    if (answer.status === 400 || answer.status === 404) return answer
    if (key !== undefined) this.#stored.set(key, entry)
    if (fault?.fault === 'time-out') await fault.over
    entry.answer = fault?.fault === '500 after' ? errorResponse(500, 'api_error', 'internal') : answer
    return entry.answer
  }

  /** Deletes the stored responses, as Stripe does after a day. */
  clear(): void {
    this.#stored.clear()
  }
}

function captureResponse(work: () => Dict): FakeResponse {
  try {
    return { status: 200, body: work() }
  } catch (error) {
    if (error instanceof StripeApiError) return { status: error.status, body: { error: error.error } }
    throw error
  }
}

const errorResponse = (status: number, type: string, code: string): FakeResponse => ({
  status,
  body: { error: { type, code, message: code } },
})
