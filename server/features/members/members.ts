import type { Membership, User } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import { languages, type Language } from '#contract/languages.ts'
import { requireViewer, type Viewer } from '#server/platform/http/route.ts'
import type { Clock } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import { guestDays, readGuest, signGuest, type Guest } from './guest-token.ts'
import { insertUser, selectUser, updateUser, type UserChange } from './queries.ts'

export interface MembersContext {
  db: Db
  clock: Clock
  secret: string
  /** Whether the site is reached by https, so that cookies are for https alone. */
  secure: boolean
}

interface Tokens {
  cookies: Record<string, string | undefined>
  headers: Record<string, string | string[] | undefined>
}

const cookieName = (secure: boolean) => (secure ? '__Host-session' : 'session')

/**
 * Who a request's token belongs to: by the cookie, else by `x-user-token` (product.md, section 2). No look-up is needed
 * for a guest. A header's token does not change when something is kept, so its guest always counts as kept.
 */
export function identify(
  { secret, secure, clock }: MembersContext,
  { cookies, headers }: Tokens,
): Viewer | null {
  const cookie = cookies[cookieName(secure)]
  const header = headers['x-user-token']
  const guest = cookie ? readGuest(secret, 'cookie', cookie, clock.now()) : null
  if (guest) return { userId: guest.userId, role: 'visitor', kept: guest.kept }
  const other = typeof header === 'string' ? readGuest(secret, 'header', header, clock.now()) : null
  return other ? { userId: other.userId, role: 'visitor', kept: true } : null
}

interface Answering {
  viewer: Viewer | null
  language: Language
  setHeader(name: string, value: string): void
}

/**
 * Gives the guest its tokens: the cookie, and the header's where `header` says so. A known guest for whom nothing is kept
 * has its cookie already: given again, it could arrive after the one that says `kept`, and undo it.
 */
export function giveTokens(context: MembersContext, call: Answering, guest: Guest, header: boolean): void {
  const { secret, secure, clock } = context
  const token = signGuest(secret, 'cookie', guest, clock.now())
  const flags = `Path=/; Max-Age=${guestDays * 86_400}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  if (!call.viewer || guest.kept) call.setHeader('set-cookie', `${cookieName(secure)}=${token}; ${flags}`)
  if (header) call.setHeader('x-user-token', signGuest(secret, 'header', guest, clock.now()))
}

/** A new guest, without a row. */
export function newGuest(): Guest {
  return { userId: newId('usr'), kept: false }
}

/**
 * Makes the guest's row before something of its is kept, and says so in its cookie.
 * @returns the user's id
 * @throws Refusal signInFirst without a known token
 */
export async function keepViewer(context: MembersContext, tx: Tx, call: Answering): Promise<string> {
  const viewer = requireViewer(call)
  await insertUser(tx, {
    id: viewer.userId,
    language: call.language,
    referral_code: newId('usr').slice(4, 14),
  })
  if (!viewer.kept) giveTokens(context, call, { userId: viewer.userId, kept: true }, false)
  return viewer.userId
}

/** The user behind a viewer as the contract shows it; `membership` is billing's to say. */
export async function loadUser(db: Db, viewer: Viewer, membership: Membership): Promise<User> {
  const row = viewer.kept ? await selectUser(db, viewer.userId) : undefined
  return {
    id: viewer.userId,
    role: viewer.role,
    email: row?.email ?? null,
    email_verified: false,
    display_name: row?.display_name ?? null,
    avatar_url: null,
    language: (row?.language as Language | null | undefined) ?? null,
    referral_code: row?.referral_code ?? null,
    consent: null,
    has_password: false,
    second_factor: false,
    membership,
  }
}

/**
 * Changes what the user says of itself.
 * @throws Refusal nameInvalid (1 to 64 characters) and languageUnknown, with the field's name
 */
export async function changeUser(tx: Tx, userId: string, change: UserChange): Promise<void> {
  const { display_name: name, language } = change
  if (name !== undefined && (name.trim() === '' || name.length > 64))
    throw new Refusal('nameInvalid', { field: 'display_name' })
  if (language !== undefined && !languages.some((known) => known === language)) {
    throw new Refusal('languageUnknown', { field: 'language' })
  }
  await updateUser(tx, userId, change)
}
