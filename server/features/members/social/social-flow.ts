import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { keyOf, decrypt, encrypt } from '#server/platform/encrypt.ts'
import type { Checks } from './social-provider.ts'

/** One visit to a provider, from leaving to coming back. It lives in a signed cookie of the browser that left. */
export interface SocialFlow {
  provider: string
  /** From `newState`; the provider hands it back. */
  state: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** A path of this site. */
  returnTo: string
  /** The member who left, after a proof, to whose account the identity is to belong; null for a visitor who signs in. */
  memberId: string | null
}

/** How long a person may take at the provider. */
export const flowMs = 10 * 60_000
/** The cookie outlives the flow, so that a late person sees why it failed and returns to where they were. */
export const flowCookieDays = 1 / 24

/**
 * 256 random bits, and sealed beside them where the person wants to be, for a browser that comes back without the cookie.
 * The provider cannot read it.
 */
export function newState(secret: string, returnTo: string): string {
  const random = randomBytes(32).toString('base64url')
  return `${random}.${encrypt(returnKey(secret), returnTo, random).toString('base64url')}`
}

/** The path that the person of a state started from; undefined if the state is not ours. */
export function returnToOf(secret: string, state: string): string | undefined {
  const [random = '', sealed = ''] = state.split('.')
  try {
    return decrypt(returnKey(secret), Buffer.from(sealed, 'base64url'), random)
  } catch {
    return undefined
  }
}

const returnKey = (secret: string) => keyOf(secret, 'social return')

/** Each flow has a cookie of its own: two tabs may be at a provider at once. */
export function flowCookie(state: string): string {
  return `social-${state.slice(0, 8)}`
}

export function encryptFlow(secret: string, flow: SocialFlow): string {
  return sealNote(secret, 'flow', flow)
}

/** Reads the flow of a cookie; null if the cookie was forged or does not belong to `state`. */
export function decryptFlow(secret: string, sealed: string, state: string): SocialFlow | null {
  const flow = openNote<SocialFlow>(secret, 'flow', sealed)
  return flow && sameText(flow.state, state) ? flow : null
}

/** Says that a provider has vouched for a member, whose second factor is still to come. */
export interface Ticket {
  userId: string
  provider: string
  /** Which of the member's identities it vouched for. */
  identityId: string
  /** Milliseconds since 1970. */
  endsAt: number
}

export function encryptTicket(secret: string, ticket: Ticket): string {
  return sealNote(secret, 'ticket', ticket)
}

export function decryptTicket(secret: string, sealed: string): Ticket | null {
  return openNote<Ticket>(secret, 'ticket', sealed)
}

function sealNote(secret: string, kind: string, note: object): string {
  const text = Buffer.from(JSON.stringify(note)).toString('base64url')
  return `${text}.${macOf(secret, kind, text)}`
}

function openNote<Note>(secret: string, kind: string, sealed: string): Note | null {
  const [text = '', mac = ''] = sealed.split('.')
  if (!sameText(mac, macOf(secret, kind, text))) return null
  // Sealed by us as this kind, so it is what `sealNote` was given.
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Note
}

/** What goes with a flow. Nonce and verifier follow from the state and our secret, so the browser never holds them. */
export function checksOf(secret: string, state: string, redirectUri: string): Checks {
  return {
    redirectUri,
    state,
    nonce: macOf(secret, 'nonce', state),
    verifier: macOf(secret, 'verifier', state),
  }
}

function macOf(secret: string, kind: string, text: string): string {
  return createHmac('sha256', secret).update(`social|${kind}|${text}`).digest('base64url')
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
