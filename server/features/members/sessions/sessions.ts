import { createHmac } from 'node:crypto'
import { equalsInConstantTime } from '#server/platform/equals-in-constant-time.ts'
import { Refusal } from '#contract/errors.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import { runInBatches } from '#server/platform/database/run-in-batches.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import { dayMs } from '#server/platform/clock.ts'
import { hashSecret, newSecret } from '#server/platform/link-secrets.ts'
import {
  serializeCookie,
  cookieName,
  clearGuestCookie,
  type AccountCall,
  type MembersContext,
  type TokenSource,
} from '#server/features/members/members-context.ts'
import * as queries from './session-queries.ts'
import { markMember, updateTimeZone } from '#server/features/members/user-queries.ts'

/** Sessions expire after 90 days without use, and after 400 days in any case. */
const idleDays = 90
const maxDays = 400
/** Interval at which a session's `last_seen_at` is updated. */
const touchMs = 3_600_000
const maxUserAgentLength = 512
/** Maximum number of concurrent sessions of a member. */
const maxSessions = 100

/**
 * Starts a session of a user, who then is a member, and sets the cookie and `x-user-token`. Ends the call's current
 * session, if there is one. Only a hash of the cookie's token is stored.
 * @returns the new viewer
 */
export async function startSession(
  context: MembersContext,
  tx: Tx,
  call: AccountCall,
  userId: string,
): Promise<Viewer> {
  const now = context.clock.now()
  const token = newSecret()
  const id = newId('ses')
  await markMember(tx, userId, now)
  await updateTimeZone(tx, userId, call.timeZone?.())
  const formerSessionId = call.viewer?.sessionId
  await queries.insertSession(tx, {
    id,
    user_id: userId,
    token_hash: hashSecret(token),
    user_agent: call.userAgent.slice(0, maxUserAgentLength),
    created_at: now,
    last_seen_at: now,
  })
  const startedSession = { userId, sessionId: id, formerSessionId }
  for (const runHook of context.lifecycleHooks.signIn) await runHook(tx, startedSession)
  if (call.viewer && formerSessionId !== undefined)
    await queries.deleteSessions(tx, call.viewer.userId, { id: formerSessionId })
  await queries.deleteOldestSessions(tx, userId, maxSessions)
  call.setHeader('set-cookie', serializeCookie(context.isHttps, 'session', token, maxDays))
  if (call.viewer?.role === 'visitor') clearGuestCookie(context, call)
  call.setHeader('x-user-token', signHeaderToken(context.secret, id))
  return { userId, role: 'member', isStored: true, sessionId: id }
}

/**
 * Ends all sessions of a user, or all but one.
 * @returns how many were ended
 */
export function endUserSessions(tx: Tx, userId: string, exceptSessionId?: string): Promise<number> {
  return queries.deleteSessions(tx, userId, exceptSessionId === undefined ? {} : { except: exceptSessionId })
}

/**
 * Locks a session against deletion until the transaction ends.
 * @throws Refusal signInRequired if the session has ended
 */
export async function lockSession(tx: Tx, sessionId: string): Promise<void> {
  if (!(await queries.lockSession(tx, sessionId))) throw new Refusal('signInRequired')
}

/**
 * Returns the session's token for clients without cookies. It is derived from the session id, so that it can be sent
 * repeatedly.
 */
export function signHeaderToken(secret: string, sessionId: string): string {
  const mac = createHmac('sha256', secret).update(`session|header|${sessionId}`).digest('base64url')
  return `m.${sessionId}.${mac}`
}

/**
 * Finds the member of a session cookie or, if there is no such member, of a header. Returns null if there is no
 * session, or it has expired.
 */
export async function findMember(
  context: MembersContext,
  { cookies, headers }: TokenSource,
): Promise<Viewer | null> {
  const cookie = cookies[cookieName(context.isHttps, 'session')]
  const byCookie = cookie ? await loadMember(context, { tokenHash: hashSecret(cookie) }) : null
  if (byCookie) return byCookie
  const header = headers['x-user-token']
  const id = typeof header === 'string' ? readHeaderToken(context.secret, header) : undefined
  return id === undefined ? null : loadMember(context, { id })
}

async function loadMember(
  { db, clock }: MembersContext,
  by: { tokenHash: Buffer } | { id: string },
): Promise<Viewer | null> {
  const now = clock.now()
  const session = await queries.selectSession(db, by, activeSessionBounds(now))
  if (!session) return null
  const before = new Date(now.getTime() - touchMs)
  if (session.last_seen_at < before) await queries.touchSession(db, session.id, before, now)
  return { userId: session.user_id, role: 'member', isStored: true, sessionId: session.id }
}

/** Returns two times. An active session must have been used after the first and started after the second. */
export function activeSessionBounds(now: Date): { seenAfter: Date; createdAfter: Date } {
  return {
    seenAfter: new Date(now.getTime() - idleDays * dayMs),
    createdAfter: new Date(now.getTime() - maxDays * dayMs),
  }
}

/** Maximum number of sessions that a transaction of the purge deletes. */
const purgeBatchSize = 1000

/** Deletes expired sessions in batches, so that no transaction locks many rows. */
export async function purgeSessions(
  db: Db,
  now: Date,
  signal: AbortSignal,
  batchSize = purgeBatchSize,
): Promise<void> {
  const { seenAfter, createdAfter } = activeSessionBounds(now)
  for (const [time, until] of [
    ['last_seen_at', seenAfter],
    ['created_at', createdAfter],
  ] as const)
    await runInBatches(db, (tx, limit) => queries.deleteSessionsUntil(tx, time, until, limit), {
      limit: batchSize,
      signal,
    })
}

function readHeaderToken(secret: string, token: string): string | undefined {
  const id = token.split('.')[1]
  if (id === undefined) return undefined
  return equalsInConstantTime(token, signHeaderToken(secret, id)) ? id : undefined
}
