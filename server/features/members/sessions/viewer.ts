import { Refusal } from '#contract/errors.ts'
import { requireViewer, type Call, type Viewer } from '#server/platform/http/route.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { guestDays, readGuest, signGuest, type TokenTransport, type Guest } from './guest-token.ts'
import {
  serializeCookie,
  cookieName,
  clearGuestCookie,
  type ViewerCall,
  type MembersContext,
  type TokenSource,
} from '#server/features/members/members-context.ts'
import {
  lockGuestStatus,
  insertUser,
  selectGuestStatus,
  updateTimeZone,
} from '#server/features/members/user-queries.ts'
import { findMember, signHeaderToken } from './sessions.ts'
import { isGuest } from './merge-guest.ts'

/**
 * Identifies the viewer of a request by the cookie, otherwise by `x-user-token`. A guest without a row needs no query.
 * A member needs one query. A guest with a row also needs one: after a sign-up, a guest's token must not identify the
 * member.
 */
export function identify(
  context: MembersContext,
  tokens: TokenSource,
): Viewer | null | Promise<Viewer | null> {
  const { secret, isHttps, clock } = context
  const cookie = tokens.cookies[cookieName(isHttps, 'guest')]
  const guest = cookie ? readGuest(secret, 'cookie', cookie, clock.now()) : null
  // Most calls come from guests without a row, so this path needs no promise.
  const maybeMember = tokens.cookies[cookieName(isHttps, 'session')] ?? tokens.headers['x-user-token']
  if (guest?.isStored === false && maybeMember === undefined) return toUnstoredViewer(context, tokens, guest)
  return identifyByQuery(context, tokens, guest)
}

async function identifyByQuery(
  context: MembersContext,
  tokens: TokenSource,
  byCookie: Guest | null,
): Promise<Viewer | null> {
  const member = await findMember(context, tokens)
  if (member) return member
  if (byCookie?.isStored === false) return toUnstoredViewer(context, tokens, byCookie)
  const header = tokens.headers['x-user-token']
  const byHeader =
    typeof header === 'string' ? readGuest(context.secret, 'header', header, context.clock.now()) : null
  return (
    (byCookie && (await findGuest(context, tokens, byCookie))) ??
    (byHeader && findGuest(context, tokens, byHeader))
  )
}

function toUnstoredViewer(context: MembersContext, tokens: TokenSource, guest: Guest): Viewer {
  const firstReferrerToken = guest.firstReferrerToken ?? readReferrerCookie(context, tokens, guest)
  return { userId: guest.userId, role: 'visitor', isStored: false, firstReferrerToken }
}

function readReferrerCookie(
  { secret, isHttps, clock }: MembersContext,
  { cookies }: TokenSource,
  { userId }: Guest,
) {
  const cookie = cookies[cookieName(isHttps, referrerCookie)]
  const referrer = cookie ? readGuest(secret, 'cookie', cookie, clock.now()) : null
  return referrer?.userId === userId ? referrer.firstReferrerToken : undefined
}

/**
 * Queries whether the guest has a row. A header token does not state this, because it does not change when the guest
 * gets a row.
 */
async function findGuest(context: MembersContext, tokens: TokenSource, guest: Guest): Promise<Viewer | null> {
  const row = await selectGuestStatus(context.db, guest.userId)
  return row && !isGuest(row)
    ? null
    : { ...toUnstoredViewer(context, tokens, guest), isStored: row !== undefined }
}

const referrerCookie = 'arrival'

/**
 * Adds a guest's first referrer token to the guest's tokens. It is stored when the guest gets a row. A known guest's
 * cookie is not sent again (see `setTokens`), so the referrer token has a separate cookie.
 */
export function storeReferrer(
  { secret, isHttps, clock }: MembersContext,
  call: Pick<Call, 'viewer' | 'adIds' | 'setHeader'>,
  viewer: Viewer,
): Viewer {
  const firstReferrerToken = viewer.firstReferrerToken ?? call.adIds().referrerToken
  if (viewer.isStored || firstReferrerToken === viewer.firstReferrerToken) return viewer
  const withReferrer = { ...viewer, firstReferrerToken }
  const signed = signGuest(secret, 'cookie', withReferrer, clock.now())
  if (call.viewer) call.setHeader('set-cookie', serializeCookie(isHttps, referrerCookie, signed, guestDays))
  return withReferrer
}

/**
 * Sets a viewer's tokens: a guest's cookie and, if `includeHeader`, the header token. A member's cookie was set when
 * the session started. A known guest without a row already has the cookie. If it were sent again, it could arrive after
 * the cookie with `isStored` and overwrite that cookie.
 */
export function setTokens(
  { secret, isHttps, clock }: MembersContext,
  call: ViewerCall,
  viewer: Guest & Partial<Viewer>,
  includeHeader: boolean,
): void {
  if (viewer.sessionId !== undefined) {
    if (includeHeader) call.setHeader('x-user-token', signHeaderToken(secret, viewer.sessionId))
    return
  }
  const signed = (transport: TokenTransport) => signGuest(secret, transport, viewer, clock.now())
  if (!call.viewer || viewer.isStored)
    call.setHeader('set-cookie', serializeCookie(isHttps, 'guest', signed('cookie'), guestDays))
  if (includeHeader) call.setHeader('x-user-token', signed('header'))
}

/** Creates a guest without a row. */
export function newGuest(): Viewer {
  return { userId: newId('usr'), role: 'visitor', isStored: false }
}

/**
 * Creates the guest's row before something is stored, and updates the guest's cookie. Locks the row against merging and
 * deletion until the end of the transaction, so that stored data is not lost.
 * @returns the user's id
 * @throws Refusal signInRequired without a known token, or if the guest has been registered, merged or deleted, or the
 * member deleted. A guest's cookie is then deleted, so that the next GET /api/user creates a new guest.
 */
export async function ensureUserRow(
  context: MembersContext,
  tx: Tx,
  call: ViewerCall & Partial<Pick<Call, 'adIds' | 'ip'>>,
): Promise<string> {
  const viewer = requireViewer(call)
  const timeZone = call.timeZone?.()
  const isNew =
    !viewer.isStored &&
    (await insertUser(tx, {
      id: viewer.userId,
      language: call.language,
      time_zone: timeZone ?? null,
      created_at: context.clock.now(),
    }))
  if (isNew && call.ip !== undefined) context.quotas.spendOrThrow('guests', call.ip)
  const row = isNew ? undefined : await lockGuestStatus(tx, viewer.userId)
  const isValid = isNew || (row && (viewer.role === 'visitor' ? isGuest(row) : row.deleted_at === null))
  if (!isValid) {
    if (viewer.role === 'visitor') clearGuestCookie(context, call)
    throw new Refusal('signInRequired')
  }
  if (row && row.time_zone !== timeZone) await updateTimeZone(tx, viewer.userId, timeZone)
  if (!viewer.isStored) setTokens(context, call, { userId: viewer.userId, isStored: true }, false)
  // `adIds` is optional, because a provider's redirect sends no click ids.
  const ids = call.adIds?.()
  if (ids) for (const runHook of context.lifecycleHooks.storeGuest) await runHook(tx, viewer.userId, ids)
  return viewer.userId
}

/**
 * Returns the viewer of a call about stored data. If a guest's token states that there is no row, looks the row up.
 * This is necessary because a guest's token must not identify a member after a sign-up (`identify` does not check
 * this). If there is a row, the response with the new cookie was lost, so sets the cookie again.
 * @throws Refusal signInRequired without a known token, or if the guest was registered, merged or deleted
 */
export async function requireActiveViewer(context: MembersContext, call: ViewerCall): Promise<Viewer> {
  const viewer = requireViewer(call)
  const row = viewer.isStored ? undefined : await selectGuestStatus(context.db, viewer.userId)
  if (!row) return viewer
  if (!isGuest(row)) {
    clearGuestCookie(context, call)
    throw new Refusal('signInRequired')
  }
  setTokens(context, call, { userId: viewer.userId, isStored: true }, false)
  return { ...viewer, isStored: true }
}

/**
 * Returns the viewer of a call that may create a new guest. Returns null if the guest was registered, merged or
 * deleted. A guest's first token states that there is no row. The row is looked up, because this token is invalid once
 * the guest has registered.
 */
export async function findActiveViewer(
  { db }: Pick<MembersContext, 'db'>,
  { viewer }: Pick<Call, 'viewer'>,
): Promise<Viewer | null> {
  const row = viewer?.isStored === false ? await selectGuestStatus(db, viewer.userId) : undefined
  if (!viewer || !row) return viewer
  return isGuest(row) ? { ...viewer, isStored: true } : null
}
