import type { PushResponse } from './post-push.ts'
import type { DuePush } from './push-queries.ts'

/**
 * Outcome of an attempt. `gone`: the subscription is invalid or all attempts failed, so the subscription is deleted.
 * `refused`: a retry would fail too or would be too late, so the push is deleted.
 */
export type PushOutcome = 'sent' | 'gone' | 'refused' | { retryAt: Date }

const minuteMs = 60_000
/**
 * Delays in milliseconds before the second attempt, the third and so on. After the last attempt, the subscription is
 * deleted.
 */
const retryDelaysMs = [1, 5, 30, 120, 720].map((minutes) => minutes * minuteMs)

/** Minimum pause in milliseconds before an unresponsive push service is contacted again. */
export const unresponsivePauseMs = minuteMs

/**
 * Decides what happens to a push message from the push service's response (RFC 8030).
 * @param response undefined if none arrived in time
 */
export function decidePushOutcome(
  { attempts, expires_at }: Pick<DuePush, 'attempts' | 'expires_at'>,
  now: Date,
  response?: PushResponse,
): PushOutcome {
  const { status = 503, retryAfter } = response ?? {}
  if (status >= 200 && status < 300) return 'sent'
  // 403: the subscription was made with another public key, so the service will refuse every push to it.
  if (status === 404 || status === 410 || status === 403) return 'gone'
  if (status < 500 && status !== 429 && status !== 408) return 'refused'
  const pause = retryDelaysMs[attempts - 1]
  if (pause === undefined) return 'gone'
  const retryAt = new Date(now.getTime() + Math.max(pause, parseRetryAfter(retryAfter, now)))
  return retryAt < expires_at ? { retryAt } : 'refused'
}

/** Returns the delay in milliseconds from a `Retry-After` header, which contains seconds or a date. */
function parseRetryAfter(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  return Date.parse(retryAfter) - now.getTime() || 0
}
