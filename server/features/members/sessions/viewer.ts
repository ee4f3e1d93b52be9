import { Refusal } from '#contract/errors.ts'
import { requireViewer, type Call, type Viewer } from '#server/platform/http/route.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { guestDays, readGuest, signGuest, type Carrier, type Guest } from './guest-token.ts'
import {
  cookieFor,
  cookieName,
  forgetGuest,
  type Answering,
  type MembersContext,
  type TokenSource,
} from '#server/features/members/members-context.ts'
import { holdStanding, insertUser, selectStanding, updateTimeZone } from '#server/features/members/queries.ts'
import { findMember, headerTokenOf } from './sessions.ts'
import { isGuest } from './sign-in-as.ts'

/**
 * Who a request's token belongs to: a member by one query, a guest for whom nothing is kept by none, by the cookie, else by
 * `x-user-token` (product.md, section 2). A guest of whom something is kept costs a query too: whoever knew the token
 * of a guest who has become a member since must not be taken for that member.
 */
export function identify(
  context: MembersContext,
  tokens: TokenSource,
): Viewer | null | Promise<Viewer | null> {
  const { secret, secure, clock } = context
  const cookie = tokens.cookies[cookieName(secure, 'guest')]
  const guest = cookie ? readGuest(secret, 'cookie', cookie, clock.now()) : null
  // Most calls are such a guest's, so that they wait for nothing.
  const maybeMember = tokens.cookies[cookieName(secure, 'session')] ?? tokens.headers['x-user-token']
  if (guest?.kept === false && maybeMember === undefined) return unkept(context, tokens, guest)
  return lookUp(context, tokens, guest)
}

async function lookUp(
  context: MembersContext,
  tokens: TokenSource,
  byCookie: Guest | null,
): Promise<Viewer | null> {
  const member = await findMember(context, tokens)
  if (member) return member
  if (byCookie?.kept === false) return unkept(context, tokens, byCookie)
  const header = tokens.headers['x-user-token']
  const byHeader =
    typeof header === 'string' ? readGuest(context.secret, 'header', header, context.clock.now()) : null
  return (
    (byCookie && (await findGuest(context, tokens, byCookie))) ??
    (byHeader && findGuest(context, tokens, byHeader))
  )
}

function unkept(context: MembersContext, tokens: TokenSource, guest: Guest): Viewer {
  const cameBy = guest.cameBy ?? arrivalOf(context, tokens, guest)
  return { userId: guest.userId, role: 'visitor', kept: false, cameBy }
}

function arrivalOf({ secret, secure, clock }: MembersContext, { cookies }: TokenSource, { userId }: Guest) {
  const cookie = cookies[cookieName(secure, arrivalCookie)]
  const arrival = cookie ? readGuest(secret, 'cookie', cookie, clock.now()) : null
  return arrival?.userId === userId ? arrival.cameBy : undefined
}

/** A header's token does not change when something is kept, so the database is asked whether something is. */
async function findGuest(context: MembersContext, tokens: TokenSource, guest: Guest): Promise<Viewer | null> {
  const row = await selectStanding(context.db, guest.userId)
  return row && !isGuest(row) ? null : { ...unkept(context, tokens, guest), kept: row !== undefined }
}

const arrivalCookie = 'arrival'

/**
 * Notes in a guest's tokens which referrer token it came with first, for when something is kept. A known guest's cookie
 * is not given again (see `giveTokens`), so there it has a cookie of its own.
 */
export function noteArrival(
  { secret, secure, clock }: MembersContext,
  call: Pick<Call, 'viewer' | 'adIds' | 'setHeader'>,
  viewer: Viewer,
): Viewer {
  const cameBy = viewer.cameBy ?? call.adIds().referrerToken
  if (viewer.kept || cameBy === viewer.cameBy) return viewer
  const arrived = { ...viewer, cameBy }
  const signed = signGuest(secret, 'cookie', arrived, clock.now())
  if (call.viewer) call.setHeader('set-cookie', cookieFor(secure, arrivalCookie, signed, guestDays))
  return arrived
}

/**
 * Gives a viewer its tokens: a guest its cookie, and the header's where `header` says so; a member has its cookie from
 * when the session began. A known guest for whom nothing is kept has its cookie already: given again, it could arrive
 * after the one that says `kept`, and undo it.
 */
export function giveTokens(
  { secret, secure, clock }: MembersContext,
  call: Answering,
  viewer: Guest & Partial<Viewer>,
  header: boolean,
): void {
  if (viewer.sessionId !== undefined) {
    if (header) call.setHeader('x-user-token', headerTokenOf(secret, viewer.sessionId))
    return
  }
  const signed = (carrier: Carrier) => signGuest(secret, carrier, viewer, clock.now())
  if (!call.viewer || viewer.kept)
    call.setHeader('set-cookie', cookieFor(secure, 'guest', signed('cookie'), guestDays))
  if (header) call.setHeader('x-user-token', signed('header'))
}

/** A new guest, without a row. */
export function newGuest(): Viewer {
  return { userId: newId('usr'), role: 'visitor', kept: false }
}

/**
 * Makes the guest's row before something of its is kept, and says so in its cookie. Nobody merges or deletes the row
 * until the transaction is over, so what is kept in it goes where the rest goes.
 * @returns the user's id
 * @throws Refusal signInFirst without a known token, and where the guest or member has ended in the meantime: its records
 * are an account's by now, for which this token does not stand, or nobody's. Its cookie goes, so that the next GET
 * /api/user gives a new guest
 */
export async function keepViewer(
  context: MembersContext,
  tx: Tx,
  call: Answering & Partial<Pick<Call, 'adIds' | 'ip'>>,
): Promise<string> {
  const viewer = requireViewer(call)
  const timeZone = call.timeZone?.()
  const made =
    !viewer.kept &&
    (await insertUser(tx, {
      id: viewer.userId,
      language: call.language,
      time_zone: timeZone ?? null,
      created_at: context.clock.now(),
    }))
  if (made && call.ip !== undefined) context.quotas.take('guests', call.ip)
  const row = made ? undefined : await holdStanding(tx, viewer.userId)
  const alive = made || (row && (viewer.role === 'visitor' ? isGuest(row) : row.deleted_at === null))
  if (!alive) {
    if (viewer.role === 'visitor') forgetGuest(context, call)
    throw new Refusal('signInFirst')
  }
  if (row && row.time_zone !== timeZone) await updateTimeZone(tx, viewer.userId, timeZone)
  if (!viewer.kept) giveTokens(context, call, { userId: viewer.userId, kept: true }, false)
  // A provider's redirect says nothing of where somebody came from.
  const ids = call.adIds?.()
  if (ids) for (const keep of context.lifecycleHooks.keep) await keep(tx, viewer.userId, ids)
  return viewer.userId
}

/**
 * The viewer of a call about what is kept, where the cookie may have missed that something is (its answer got lost): then it
 * is given again. A cookie that says so is not looked up by `identify`, so it is here: it must not stand for the member its
 * guest became.
 * @throws Refusal signInFirst without a known token, or where the guest has ended
 */
export async function requireStanding(context: MembersContext, call: Answering): Promise<Viewer> {
  const viewer = requireViewer(call)
  const row = viewer.kept ? undefined : await selectStanding(context.db, viewer.userId)
  if (!row) return viewer
  if (!isGuest(row)) {
    forgetGuest(context, call)
    throw new Refusal('signInFirst')
  }
  giveTokens(context, call, { userId: viewer.userId, kept: true }, false)
  return { ...viewer, kept: true }
}

/**
 * The viewer of a call that may give a new guest: null if the token is of a guest who has ended. A guest's first token says that
 * nothing is kept; whoever has it still after the guest has registered is nobody.
 */
export async function standingViewer(
  { db }: Pick<MembersContext, 'db'>,
  { viewer }: Pick<Call, 'viewer'>,
): Promise<Viewer | null> {
  const row = viewer?.kept === false ? await selectStanding(db, viewer.userId) : undefined
  if (!viewer || !row) return viewer
  return isGuest(row) ? { ...viewer, kept: true } : null
}
