import { calculatePKCECodeChallenge, buildAuthorizationUrl, type Configuration } from 'openid-client'

/** Somebody as a provider knows them. */
export interface SocialProfile {
  /** Who answers for `subject`: another issuer under the same settings knows other people. */
  issuer: string
  subject: string
  /** Only an address that the provider says it has verified. */
  email: string | undefined
  name: string | undefined
}

/** What ties the answer of a provider to the request it was for. */
export interface Checks {
  /** The address of this site that the provider returns to, without a query. */
  redirectUri: string
  state: string
  nonce: string
  /** For PKCE: its hash goes along with the person, the value itself only from server to server. */
  verifier: string
}

/** A party that can say who somebody is. Each call to it is bounded in time and size. */
export interface SocialProvider {
  /** Part of the routes, and of the identities kept. */
  id: string
  name: string
  /**
   * Where the person goes to agree; `choosing`, to say there which of their accounts it is to be, where the provider can ask.
   * @throws Error if the provider cannot be reached or makes no sense
   */
  authorizationUrl(checks: Checks, choosing: boolean): Promise<URL>
  /**
   * Who came back, by the code in `callback`.
   * @throws Error where state, nonce or signature are wrong, or the provider cannot be reached or makes no sense
   */
  identify(callback: URL, checks: Checks): Promise<SocialProfile>
}

/** Seconds that one call to a provider may take. */
export const providerTimeoutSeconds = 5

/** The address of a provider's consent screen, with state and PKCE. */
export async function consentUrl(
  config: Configuration,
  { redirectUri, state, verifier }: Checks,
  more: Record<string, string>,
): Promise<URL> {
  return buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  })
}

/** A text of an answer, or undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Reads the id of an answer. @throws Error if it is missing or cannot be stored */
export function subjectOf(value: unknown): string {
  const subject = textOf(value)
  if (!subject || subject.length > 255 || subject.includes('\0'))
    throw new Error('the provider gave no usable id of the person')
  return subject
}
