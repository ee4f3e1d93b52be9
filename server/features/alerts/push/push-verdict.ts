import type { PushAnswer } from './post-push.ts'
import type { DuePush } from './push-queries.ts'

/** `gone`: the subscription is over, or nobody serves it. `refused`: a further try is useless, or comes too late. */
export type Verdict = 'sent' | 'gone' | 'refused' | { again: Date }

const minuteMs = 60_000
/** The next try after the first, the second and so on; then a push is given up with its subscription. */
const pauses = [1, 5, 30, 120, 720].map((minutes) => minutes * minuteMs)

/** How long a push service that is silent is left alone at least, in milliseconds. */
export const restMs = minuteMs

/** Decides what becomes of a push by the service's answer (RFC 8030); without one it could not be reached in time. */
export function judgePush(
  { attempts, expires_at }: Pick<DuePush, 'attempts' | 'expires_at'>,
  now: Date,
  answer?: PushAnswer,
): Verdict {
  const { status = 503, retryAfter } = answer ?? {}
  if (status >= 200 && status < 300) return 'sent'
  // 403 is another key's subscription: none of our pushes gets through.
  if (status === 404 || status === 410 || status === 403) return 'gone'
  if (status < 500 && status !== 429 && status !== 408) return 'refused'
  const pause = pauses[attempts - 1]
  if (pause === undefined) return 'gone'
  const again = new Date(now.getTime() + Math.max(pause, waitOf(retryAfter, now)))
  return again < expires_at ? { again } : 'refused'
}

/** Milliseconds that a `Retry-After` asks to wait: it holds seconds or a date. */
function waitOf(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  return Date.parse(retryAfter) - now.getTime() || 0
}
