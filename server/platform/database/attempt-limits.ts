import { createHmac } from 'node:crypto'
import { sql, type QueryExecutorProvider } from 'kysely'
import { Fault } from '#contract/errors.ts'
import type { RateLimit } from '#server/platform/config/read-env.ts'
import { deleteExpired, type PurgeOptions } from './delete-expired.ts'
import { countedNetworks } from '#server/platform/http/limits/client-network.ts'

/**
 * Returns the key under which the attempts of an e-mail address or a network are counted: a keyed hash, irreversible
 * without the secret.
 */
export function attemptKey(secret: string, kind: string, value: string): string {
  return `${kind}:${createHmac('sha256', secret).update(`turn|${kind}|${value}`).digest('base64url')}`
}

/**
 * Counts an attempt against a key's limit, in the database for all processes. The time window begins with its first
 * attempt. To count the attempts of failed calls too, pass the pool, not a transaction.
 * @throws Fault tooManyRequests with the seconds to wait, once `max` attempts are used
 */
export async function countAttempt(
  db: QueryExecutorProvider,
  key: string,
  { max, seconds }: RateLimit,
  now: Date,
): Promise<void> {
  const end = new Date(now.getTime() + seconds * 1000)
  const { rows } = await sql<{ attempts: number; expires_at: Date }>`
    INSERT INTO attempt_counts AS t (key, attempts, expires_at) VALUES (${key}, 1, ${end})
    ON CONFLICT (key) DO UPDATE SET
      attempts = CASE WHEN t.expires_at <= ${now} THEN 1 ELSE least(t.attempts + 1, ${max + 1}) END,
      expires_at = CASE WHEN t.expires_at <= ${now} THEN ${end} ELSE t.expires_at END
    RETURNING attempts, expires_at`.execute(db)
  const count = rows[0]
  if (count && count.attempts > max)
    throw new Fault('tooManyRequests', undefined, secondsUntil(count.expires_at, now))
}

/** Counts an attempt against each network of an address, as `countAttempt` does. @throws Fault tooManyRequests */
export async function countAttemptOfNetworks(
  db: QueryExecutorProvider,
  { secret, kind, ip }: { secret: string; kind: string; ip: string },
  { max, seconds }: RateLimit,
  now: Date,
): Promise<void> {
  for (const { network, multiplier } of countedNetworks(ip))
    await countAttempt(db, attemptKey(secret, kind, network), { max: max * multiplier, seconds }, now)
}

/**
 * Enforces a limit on events that are stored anyway, so that they need no counter.
 * @param oldest the time of the oldest of the last `max` events
 * @throws Fault tooManyRequests with the seconds to wait, if that event is still within the limit's time
 */
export function checkOldestEvent(oldest: Date | undefined, { seconds }: RateLimit, now: Date): void {
  const open = oldest && new Date(oldest.getTime() + seconds * 1000)
  if (open && open > now) throw new Fault('tooManyRequests', undefined, secondsUntil(open, now))
}

/** Returns whole seconds, at least one, for `Retry-After`. */
export function secondsUntil(deadline: Date, now: Date): number {
  return Math.max(1, Math.ceil((deadline.getTime() - now.getTime()) / 1000))
}

/** Deletes the counts of expired time windows. */
export function purgeAttemptCounts(
  db: QueryExecutorProvider,
  now: Date,
  options?: PurgeOptions,
): Promise<void> {
  return deleteExpired(db, { table: 'attempt_counts', time: 'expires_at', before: now }, options)
}
