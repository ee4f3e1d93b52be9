import type { PushResponse } from './post-push.ts'
import type { DuePush } from './push-queries.ts'

/** `gone`: the subscription is invalid or all attempts failed. `refused`: a retry is useless, or comes too late. */
export type PushOutcome = 'sent' | 'gone' | 'refused' | { retryAt: Date }

const minuteMs = 60_000
/** Delays before the second attempt, the third and so on; after the last, the push is abandoned and its subscription deleted. */
const retryDelaysMs = [1, 5, 30, 120, 720].map((minutes) => minutes * minuteMs)

/** Minimum pause before contacting an unresponsive push service again, in milliseconds. */
export const unresponsivePauseMs = minuteMs

/** Decides what happens to a push after the service's response (RFC 8030). `response` is undefined if none came in time. */
export function decidePushOutcome(
  { attempts, expires_at }: Pick<DuePush, 'attempts' | 'expires_at'>,
  now: Date,
  response?: PushResponse,
): PushOutcome {
  const { status = 503, retryAfter } = response ?? {}
  if (status >= 200 && status < 300) return 'sent'
  // 403: the subscription belongs to another key, so none of our pushes will be accepted.
  if (status === 404 || status === 410 || status === 403) return 'gone'
  if (status < 500 && status !== 429 && status !== 408) return 'refused'
  const pause = retryDelaysMs[attempts - 1]
  if (pause === undefined) return 'gone'
  const retryAt = new Date(now.getTime() + Math.max(pause, parseRetryAfter(retryAfter, now)))
  return retryAt < expires_at ? { retryAt } : 'refused'
}

/** Returns the delay of a `Retry-After` header, which holds seconds or a date, in milliseconds. */
function parseRetryAfter(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  return Date.parse(retryAfter) - now.getTime() || 0
}
