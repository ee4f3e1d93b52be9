import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { keyOf, decrypt, encrypt } from '#server/platform/encrypt.ts'
import type { Checks } from './social-provider.ts'

/** One visit to a provider, from the redirect to the callback. It is stored in an encrypted cookie of the browser. */
export interface SocialFlow {
  provider: string
  /** From `newState`; the provider sends it back. */
  state: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** A path of this site. */
  returnTo: string
  /** The member who started linking after reauthenticating; null for a visitor who signs in. */
  memberId: string | null
}

/** Maximum time that a user may spend at the provider. */
export const flowMs = 10 * 60_000
/** The cookie outlives the flow, so that a late user sees why it failed and returns to where they were. */
export const flowCookieDays = 1 / 24

/**
 * Creates a state: 256 random bits, and the encrypted return path, for a browser that comes back without the cookie. The provider
 * cannot read it.
 */
export function newState(secret: string, returnTo: string): string {
  const random = randomBytes(32).toString('base64url')
  return `${random}.${encrypt(returnKey(secret), returnTo, random).toString('base64url')}`
}

/** Returns the return path in a state; undefined if the state is not the site's. */
export function returnToOf(secret: string, state: string): string | undefined {
  const [random = '', sealed = ''] = state.split('.')
  try {
    return decrypt(returnKey(secret), Buffer.from(sealed, 'base64url'), random)
  } catch {
    return undefined
  }
}

const returnKey = (secret: string) => keyOf(secret, 'social return')

/** Returns the name of a flow's cookie. Each flow has its own, since two tabs may be at a provider at once. */
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

/** States that a provider has identified a member whose second factor is still required. */
export interface Ticket {
  userId: string
  provider: string
  /** The member's identity that it confirmed. */
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
  // Encrypted as this kind by the site, so it has the type that `sealNote` was given.
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Note
}

/** Returns the checks of a flow. Nonce and verifier are derived from the state and the site's secret, so the browser never has them. */
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
