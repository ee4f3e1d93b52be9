import { createHmac, timingSafeEqual } from 'node:crypto'
import { Refusal } from '#contract/errors.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import { dayMs } from '#server/platform/clock.ts'
import { hashSecret, newSecret } from '#server/platform/config/secrets.ts'
import {
  cookieFor,
  cookieName,
  forgetGuest,
  type AccountCall,
  type MembersContext,
  type TokenSource,
} from '#server/features/members/members-context.ts'
import * as queries from './session-queries.ts'
import { markMember, updateTimeZone } from '#server/features/members/queries.ts'

/** Sessions expire after 90 idle days, or 400 days in all. */
const idleDays = 90
const mostDays = 400
/** The precision of a session's `last_seen_at`. */
const touchMs = 3_600_000
const longestAgent = 512
/** Maximum concurrent sessions of a member. */
const mostSessions = 100

/**
 * Starts a session of a user, who is a member from then on: sets the cookie and `x-user-token`. The call's current session, if any,
 * ends. Only a hash of the cookie's token is stored.
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
    user_agent: call.userAgent.slice(0, longestAgent),
    created_at: now,
    last_seen_at: now,
  })
  const begun = { userId, sessionId: id, formerSessionId }
  for (const runHook of context.lifecycleHooks.signIn) await runHook(tx, begun)
  if (call.viewer && formerSessionId !== undefined)
    await queries.deleteSessions(tx, call.viewer.userId, { id: formerSessionId })
  await queries.deleteOldestSessions(tx, userId, mostSessions)
  call.setHeader('set-cookie', cookieFor(context.secure, 'session', token, mostDays))
  if (call.viewer?.role === 'visitor') forgetGuest(context, call)
  call.setHeader('x-user-token', headerTokenOf(context.secret, id))
  return { userId, role: 'member', kept: true, sessionId: id }
}

/** Ends all sessions of a user, or all but one. @returns how many there were */
export function endSessionsOf(tx: Tx, userId: string, exceptSessionId?: string): Promise<number> {
  return queries.deleteSessions(tx, userId, exceptSessionId === undefined ? {} : { except: exceptSessionId })
}

/** Locks a session against deletion until the transaction ends. @throws Refusal signInFirst if it has ended */
export async function holdSession(tx: Tx, sessionId: string): Promise<void> {
  if (!(await queries.holdSession(tx, sessionId))) throw new Refusal('signInFirst')
}

/** Returns the session's token for clients without cookies. It is derived from the id, so that it can be sent repeatedly. */
export function headerTokenOf(secret: string, sessionId: string): string {
  const mac = createHmac('sha256', secret).update(`session|header|${sessionId}`).digest('base64url')
  return `m.${sessionId}.${mac}`
}

/** Finds the member of a cookie or header with one query; null if there is none or the session has expired. */
export async function findMember(
  context: MembersContext,
  { cookies, headers }: TokenSource,
): Promise<Viewer | null> {
  const cookie = cookies[cookieName(context.secure, 'session')]
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
  const session = await queries.selectSession(db, by, oldest(now))
  if (!session) return null
  const before = new Date(now.getTime() - touchMs)
  if (session.last_seen_at < before) await queries.touchSession(db, session.id, before, now)
  return { userId: session.user_id, role: 'member', kept: true, sessionId: session.id }
}

/** Returns the earliest last use and start of an active session. */
export function oldest(now: Date): { seenAfter: Date; madeAfter: Date } {
  return {
    seenAfter: new Date(now.getTime() - idleDays * dayMs),
    madeAfter: new Date(now.getTime() - mostDays * dayMs),
  }
}

/** Deletes expired sessions. */
export function purgeSessions(db: Db, now: Date): Promise<void> {
  const { seenAfter, madeAfter } = oldest(now)
  return queries.deleteEndedSessions(db, seenAfter, madeAfter)
}

function readHeaderToken(secret: string, token: string): string | undefined {
  const id = token.split('.')[1]
  if (id === undefined) return undefined
  const [given, genuine] = [Buffer.from(token), Buffer.from(headerTokenOf(secret, id))]
  return given.length === genuine.length && timingSafeEqual(given, genuine) ? id : undefined
}
