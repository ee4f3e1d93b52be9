import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  OAuth2Server,
  type MutableRedirectUri,
  type MutableToken,
  type TokenRequestIncomingMessage,
} from 'oauth2-mock-server'

/**
 * Cookie with the user's e-mail address, by which the issuer recognizes the user. Without the cookie, each sign-in is a
 * new user.
 */
export const emailCookie = 'known_by'
/** A cookie value for a user who denies access: the issuer redirects without a code. */
export const deniedEmail = 'nobody'

/**
 * Starts an OpenID Connect issuer. It denies access only to `deniedEmail`.
 * @returns the settings of a site that uses the issuer
 */
export async function startSocialIssuer(): Promise<Record<string, string>> {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(0, 'localhost')
  /** E-mail addresses of recognized users, by their authorization code. */
  const emailByCode = new Map<string, string>()
  server.service.on(
    'beforeAuthorizeRedirect',
    ({ url }: MutableRedirectUri, { headers }: IncomingMessage) => {
      const email = new RegExp(`${emailCookie}=([^;]+)`).exec(headers.cookie ?? '')?.[1]
      const code = url.searchParams.get('code')
      if (email === deniedEmail)
        url.search = new URLSearchParams({
          error: 'access_denied',
          state: url.searchParams.get('state') ?? '',
        }).toString()
      else if (email && code) emailByCode.set(code, email)
    },
  )
  server.service.on(
    'beforeTokenSigning',
    ({ payload }: MutableToken, { body }: TokenRequestIncomingMessage) => {
      const email = emailByCode.get(body.code ?? '')
      const sub = email ?? randomUUID()
      Object.assign(payload, {
        sub,
        name: 'Grace',
        email: email ?? `${sub}@example.com`,
        email_verified: email !== undefined,
      })
    },
  )
  return {
    OIDC_ISSUER: server.issuer.url ?? '',
    OIDC_CLIENT_ID: 'site',
    OIDC_CLIENT_SECRET: 'a secret of the tests',
    OIDC_NAME: 'House',
  }
}
