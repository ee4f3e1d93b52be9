import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Checks } from './social-provider.ts'

/** One visit to a provider, from leaving to coming back. It lives in a signed cookie of the browser that left. */
export interface SocialFlow {
  provider: string
  /** 256 random bits; the provider hands them back. */
  state: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** A path of ours. */
  returnTo: string
  /** The member who left, to whose account the identity is to belong; null for a visitor who signs in. */
  memberId: string | null
}

/** How long a person may take at the provider. */
export const flowMs = 10 * 60_000
/** The cookie outlives the flow, so that a late person can be told so, and brought back to where they were. */
export const flowCookieDays = 1 / 24

export function newState(): string {
  return randomBytes(32).toString('base64url')
}

/** Each flow has a cookie of its own: two tabs may be at a provider at once. */
export function flowCookie(state: string): string {
  return `social-${state.slice(0, 8)}`
}

export function sealFlow(secret: string, flow: SocialFlow): string {
  const text = Buffer.from(JSON.stringify(flow)).toString('base64url')
  return `${text}.${macOf(secret, 'flow', text)}`
}

/** The flow of a cookie; null where it was not sealed by us, or is not the one that `state` belongs to. */
export function openFlow(secret: string, sealed: string, state: string): SocialFlow | null {
  const [text = '', mac = ''] = sealed.split('.')
  if (!sameText(mac, macOf(secret, 'flow', text))) return null
  // Sealed by `sealFlow`, so it is what that was given.
  const flow = JSON.parse(Buffer.from(text, 'base64url').toString()) as SocialFlow
  return sameText(flow.state, state) ? flow : null
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

function macOf(secret: string, purpose: string, text: string): string {
  return createHmac('sha256', secret).update(`social|${purpose}|${text}`).digest('base64url')
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
