import { createHmac } from 'node:crypto'
import {
  Configuration,
  allowInsecureRequests,
  authorizationCodeGrant,
  customFetch,
  fetchProtectedResource,
  type ClientAuth,
  type ServerMetadata,
} from 'openid-client'
import type { SocialSettings } from '#server/platform/config/read-social.ts'
import { fetchBounded } from './fetch-bounded.ts'
import {
  consentUrl,
  providerTimeoutSeconds,
  subjectOf,
  textOf,
  type AuthorizationChecks,
  type SocialProvider,
} from './social-provider.ts'

/** Version of Facebook's Graph API. Facebook supports each version for about two years. */
const graphVersion = 'v23.0'

/**
 * Creates the Facebook provider (OAuth 2). Its e-mail addresses are not used, because Facebook does not report whether
 * they are verified (https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow).
 */
export function createFacebookProvider(
  { clientId, webBase, apiBase }: NonNullable<SocialSettings['facebook']>,
  secret: string,
  timeoutSeconds?: number,
): SocialProvider {
  const server = {
    issuer: 'https://www.facebook.com',
    authorization_endpoint: `${webBase}/${graphVersion}/dialog/oauth`,
    token_endpoint: `${apiBase}/${graphVersion}/oauth/access_token`,
  }
  const config = configure(server, clientId, secretInBody('client_id', secret), timeoutSeconds)
  return {
    id: 'facebook',
    name: 'Facebook',
    authorizationUrl: (checks) => consentUrl(config, checks, { scope: 'public_profile' }),
    async identify(callback, checks) {
      const token = await exchangeCode(config, callback, checks)
      const url = new URL(`${apiBase}/${graphVersion}/me?fields=id,name`)
      // Proves that the token is used by the app to which it was issued.
      url.searchParams.set('appsecret_proof', createHmac('sha256', secret).update(token).digest('hex'))
      const profile = await fetchProfile(config, token, url)
      return {
        issuer: server.issuer,
        subject: subjectOf(profile['id']),
        email: undefined,
        name: textOf(profile['name']),
      }
    },
  }
}

/**
 * Creates the TikTok provider (OAuth 2), which provides no e-mail address
 * (https://developers.tiktok.com/doc/login-kit-web).
 */
export function createTiktokProvider(
  { clientKey, webBase, apiBase }: NonNullable<SocialSettings['tiktok']>,
  secret: string,
  timeoutSeconds?: number,
): SocialProvider {
  const server = {
    issuer: 'https://www.tiktok.com',
    authorization_endpoint: `${webBase}/v2/auth/authorize/`,
    token_endpoint: `${apiBase}/v2/oauth/token/`,
  }
  const config = configure(server, clientKey, secretInBody('client_key', secret), timeoutSeconds)
  const url = new URL(`${apiBase}/v2/user/info/?fields=open_id,display_name`)
  return {
    id: 'tiktok',
    name: 'TikTok',
    authorizationUrl: (checks) =>
      consentUrl(config, checks, { scope: 'user.info.basic', client_key: clientKey }),
    async identify(callback, checks) {
      const { data } = await fetchProfile(config, await exchangeCode(config, callback, checks), url)
      const { user } = Object(data) as { user?: unknown }
      const { open_id, display_name } = Object(user) as Record<string, unknown>
      return {
        issuer: server.issuer,
        subject: subjectOf(open_id),
        email: undefined,
        name: textOf(display_name),
      }
    },
  }
}

function configure(
  server: ServerMetadata,
  clientId: string,
  authenticate: ClientAuth,
  timeoutSeconds = providerTimeoutSeconds,
): Configuration {
  const config = new Configuration(server, clientId, undefined, authenticate)
  config.timeout = timeoutSeconds
  config[customFetch] = fetchBounded
  // The settings accept http only for addresses of this machine.
  if (server.token_endpoint?.startsWith('http:')) allowInsecureRequests(config)
  return config
}

/** Sends the client's id and secret in the body, as both providers require. TikTok has another name for the id. */
function secretInBody(idName: string, secret: string): ClientAuth {
  return (_server, client, body) => {
    body.set(idName, client.client_id)
    body.set('client_secret', secret)
  }
}

async function exchangeCode(
  config: Configuration,
  callback: URL,
  { state, verifier }: AuthorizationChecks,
): Promise<string> {
  const checks = { expectedState: state, pkceCodeVerifier: verifier }
  return (await authorizationCodeGrant(config, callback, checks)).access_token
}

async function fetchProfile(
  config: Configuration,
  token: string,
  url: URL,
): Promise<Record<string, unknown>> {
  const response = await fetchProtectedResource(config, token, url, 'GET')
  if (!response.ok) throw new Error(`the provider answered the profile request with HTTP ${response.status}`)
  return Object(await response.json()) as Record<string, unknown>
}
