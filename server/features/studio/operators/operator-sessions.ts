import { serializeCookie, cookieName } from '#server/features/members/members.ts'
import type { Operator, OperatorCall } from '#server/platform/http/route.ts'
import type { TokenSource } from '#server/platform/http/server.ts'
import { dayMs } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { hashSecret, newSecret } from '#server/platform/link-secrets.ts'
import type { Db, Tx } from '#server/tables.ts'
import { updateLastSeen } from './operator-queries.ts'
import * as queries from './session-queries.ts'
import type { StudioContext } from '#server/features/studio/studio-context.ts'

/** An operator's session expires after 12 hours without use, and 7 days after its start. */
const idleMs = 12 * 3_600_000
const maxDays = 7
/** Minimum interval in milliseconds between two updates of `last_seen_at`. */
const touchMs = 300_000
const maxUserAgentLength = 512
const cookieBaseName = 'operator'

/**
 * Starts an operator's session and sets its cookie. Only a hash of the cookie's token is stored.
 * @returns the session's id
 */
export async function startSession(
  { realClock, isHttps }: StudioContext,
  tx: Tx,
  call: Pick<OperatorCall, 'userAgent' | 'setHeader'>,
  operatorId: string,
): Promise<string> {
  const now = realClock.now()
  const token = newSecret()
  const id = newId('ses')
  await updateLastSeen(tx, operatorId, now)
  await queries.insertSession(tx, {
    id,
    operator_id: operatorId,
    token_hash: hashSecret(token),
    user_agent: call.userAgent.slice(0, maxUserAgentLength),
    created_at: now,
    last_seen_at: now,
  })
  call.setHeader('set-cookie', serializeCookie(isHttps, cookieBaseName, token, maxDays))
  return id
}

/** Returns the operator of a request's session cookie. Returns null if there is no cookie or the session has ended. */
export async function findOperator(
  { db, realClock, isHttps }: StudioContext,
  { cookies }: TokenSource,
): Promise<Operator | null> {
  const token = cookies[cookieName(isHttps, cookieBaseName)]
  if (!token) return null
  const now = realClock.now()
  const session = await queries.selectSession(db, hashSecret(token), activeSessionBounds(now))
  if (!session) return null
  const before = new Date(now.getTime() - touchMs)
  const { id, email, role, session_id } = session
  if (session.last_seen_at < before && (await queries.touchSession(db, session_id, before, now)))
    await updateLastSeen(db, id, now)
  return { id, email, role, sessionId: session_id }
}

/**
 * Ends the session of a call, or all of the operator's sessions, and deletes the cookie.
 * @returns the number of ended sessions
 */
export function endSession(
  { db, isHttps }: StudioContext,
  call: Pick<OperatorCall, 'setHeader'>,
  { id, sessionId }: Operator,
  everywhere: boolean,
): Promise<number> {
  call.setHeader('set-cookie', serializeCookie(isHttps, cookieBaseName, '', 0))
  return queries.deleteSessions(db, id, everywhere ? undefined : sessionId)
}

/** Deletes expired sessions. */
export function purgeOperatorSessions(db: Db, now: Date): Promise<void> {
  const { seenAfter, createdAfter } = activeSessionBounds(now)
  return inTransaction(db, (tx) => queries.deleteExpiredSessions(tx, seenAfter, createdAfter))
}

function activeSessionBounds(now: Date): { seenAfter: Date; createdAfter: Date } {
  return {
    seenAfter: new Date(now.getTime() - idleMs),
    createdAfter: new Date(now.getTime() - maxDays * dayMs),
  }
}
