import { createHmac, randomBytes } from 'node:crypto'
import { equalsInConstantTime } from '#server/platform/equals-in-constant-time.ts'
import { deriveKey, decrypt, encrypt } from '#server/platform/encrypt.ts'
import type { AuthorizationChecks } from './social-provider.ts'

/**
 * The flow of a sign-in or linking at a provider, from the redirect to the callback. It is stored in a signed cookie of
 * the browser.
 */
export interface SocialFlow {
  provider: string
  /** The state that `newState` created. The provider sends it back. */
  state: string
  /** The start of the flow in milliseconds since 1970. */
  startedAt: number
  /** The path of this site to which the user returns. */
  returnTo: string
  /** The member who started linking after reauthenticating; null for a visitor who signs in. */
  memberId: string | null
}

/** Maximum time that a user may spend at the provider. */
export const flowLifetimeMs = 10 * 60_000
/**
 * The cookie outlives the flow. So a user who returns late sees why the flow failed, and can return to the earlier
 * page.
 */
export const flowCookieDays = 1 / 24

/**
 * Creates a state: 256 random bits, and the return path for a browser that returns without the cookie. The path is
 * encrypted, so that the provider cannot read it.
 */
export function newState(secret: string, returnTo: string): string {
  const random = randomBytes(32).toString('base64url')
  return `${random}.${encrypt(returnPathKey(secret), returnTo, random).toString('base64url')}`
}

/** Returns the return path in a state; undefined if the site has not created the state. */
export function readReturnPath(secret: string, state: string): string | undefined {
  const [random = '', encrypted = ''] = state.split('.')
  try {
    return decrypt(returnPathKey(secret), Buffer.from(encrypted, 'base64url'), random)
  } catch {
    return undefined
  }
}

const returnPathKey = (secret: string) => deriveKey(secret, 'social return')

/**
 * Returns the name of a flow's cookie. Each flow has a separate cookie, because two tabs may be at a provider at once.
 */
export function flowCookieName(state: string): string {
  return `social-${state.slice(0, 8)}`
}

export function signFlow(secret: string, flow: SocialFlow): string {
  return signPayload(secret, 'flow', flow)
}

/** Reads the flow in a cookie. Returns null if the cookie was forged or does not belong to `state`. */
export function readFlow(secret: string, signed: string, state: string): SocialFlow | null {
  const flow = readPayload<SocialFlow>(secret, 'flow', signed)
  return flow && equalsInConstantTime(flow.state, state) ? flow : null
}

/** Proof that a provider has identified a member whose second factor is still required. */
export interface SecondFactorTicket {
  userId: string
  provider: string
  /** The identity by which the provider identified the member. */
  identityId: string
  /** The expiry in milliseconds since 1970. */
  endsAt: number
}

export function signTicket(secret: string, ticket: SecondFactorTicket): string {
  return signPayload(secret, 'ticket', ticket)
}

export function readTicket(secret: string, signed: string): SecondFactorTicket | null {
  return readPayload<SecondFactorTicket>(secret, 'ticket', signed)
}

function signPayload(secret: string, kind: string, payload: object): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${text}.${macOf(secret, kind, text)}`
}

function readPayload<Payload>(secret: string, kind: string, signed: string): Payload | null {
  const [text = '', mac = ''] = signed.split('.')
  if (!equalsInConstantTime(mac, macOf(secret, kind, text))) return null
  // The cast is safe: the site has signed this payload as this kind, with `signPayload`.
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Payload
}

/**
 * Returns the checks of a flow. Nonce and verifier are derived from the state and the
 * site's secret, so the browser never receives them.
 */
export function deriveChecks(secret: string, state: string, redirectUri: string): AuthorizationChecks {
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
