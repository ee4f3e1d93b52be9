import { calculatePKCECodeChallenge, buildAuthorizationUrl, type Configuration } from 'openid-client'

/** A user's profile at a provider. */
export interface SocialProfile {
  /**
   * The issuer within which `subject` is unique. If the operator configures another issuer under the same provider id,
   * the same `subject` is another user.
   */
  issuer: string
  subject: string
  /** The e-mail address, only if the provider has verified it. */
  email: string | undefined
  name: string | undefined
}

/** The values that bind a provider's response to its request. */
export interface AuthorizationChecks {
  /** The redirect URI of this site, without a query. */
  redirectUri: string
  state: string
  nonce: string
  /** The PKCE verifier. Its hash is sent through the browser, and the verifier itself only from server to server. */
  verifier: string
}

/** A provider that identifies users. Each call to it is limited in time and size. */
export interface SocialProvider {
  /** The provider's id, which is used in the paths of routes and in stored identities. */
  id: string
  name: string
  /**
   * Returns the URL of the consent screen. `chooseAccount` lets the user choose
   * among their accounts, if the provider supports it.
   * @throws Error if the provider cannot be reached or its response is invalid
   */
  authorizationUrl(checks: AuthorizationChecks, chooseAccount: boolean): Promise<URL>
  /**
   * Exchanges the code in `callback` for the user's profile.
   * @throws Error if state, nonce or signature are wrong, or the provider cannot be reached or its response is invalid
   */
  identify(callback: URL, checks: AuthorizationChecks): Promise<SocialProfile>
}

/** Timeout of one call to a provider, in seconds. */
export const providerTimeoutSeconds = 5

/** Builds the URL of a provider's consent screen, with state and PKCE. */
export async function consentUrl(
  config: Configuration,
  { redirectUri, state, verifier }: AuthorizationChecks,
  extraParams: Record<string, string>,
): Promise<URL> {
  return buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...extraParams,
  })
}

/** Returns a value if it is a non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Reads the user id of a response.
 * @throws Error if it is missing or cannot be stored
 */
export function subjectOf(value: unknown): string {
  const subject = textOf(value)
  if (!subject || subject.length > 255 || subject.includes('\0'))
    throw new Error('the provider returned no usable user id')
  return subject
}
