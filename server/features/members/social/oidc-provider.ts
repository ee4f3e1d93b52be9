import {
  ClientSecretBasic,
  ClientSecretPost,
  allowInsecureRequests,
  authorizationCodeGrant,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ClientAuth,
  type Configuration,
} from 'openid-client'
import { fetchBounded } from './fetch-bounded.ts'
import {
  consentUrl,
  providerTimeoutSeconds,
  subjectOf,
  textOf,
  type SocialProfile,
  type SocialProvider,
} from './social-provider.ts'

export interface OidcSettings {
  id: string
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  timeoutSeconds?: number | undefined
  /** Whether users can choose among their accounts; some issuers refuse requests that ask for it. */
  asksWhich?: boolean
}

/** Cache lifetime of a discovery document. */
const discoveryMs = 60 * 60_000

/** Creates a provider for OpenID Connect: Google, or any configured issuer. */
export function createOidcProvider(settings: OidcSettings): SocialProvider {
  const configuration = remember(() => discover(settings), discoveryMs)
  return {
    id: settings.id,
    name: settings.name,
    async authorizationUrl(checks, choosing) {
      const scope = 'openid email profile'
      const prompt: Record<string, string> =
        choosing && settings.asksWhich ? { prompt: 'select_account' } : {}
      return consentUrl(await configuration(), checks, { scope, nonce: checks.nonce, ...prompt })
    },
    async identify(callback, { state, nonce, verifier }) {
      const config = await configuration()
      const tokens = await authorizationCodeGrant(config, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims() ?? {}
      const subject = subjectOf('sub' in claims ? claims.sub : undefined)
      const { issuer, userinfo_endpoint } = config.serverMetadata()
      // Some issuers put only the id into the token; the rest must be requested.
      const asked = 'email' in claims || !userinfo_endpoint
      const more = asked ? {} : await fetchUserInfo(config, tokens.access_token, subject)
      return presentPerson(issuer, subject, { ...claims, ...more })
    },
  }
}

function presentPerson(issuer: string, subject: string, claims: Record<string, unknown>): SocialProfile {
  // Some issuers send the boolean as a string.
  const verified = claims['email_verified'] === true || claims['email_verified'] === 'true'
  const email = verified ? textOf(claims['email']) : undefined
  return { issuer, subject, email, name: textOf(claims['name']) }
}

async function discover(settings: OidcSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret, timeoutSeconds = providerTimeoutSeconds } = settings
  const url = new URL(issuer)
  // Signatures are verified even though the tokens come straight from the issuer.
  const execute = [enableNonRepudiationChecks]
  // The settings allow http for this machine only.
  if (url.protocol === 'http:') execute.push(allowInsecureRequests)
  const options = { timeout: timeoutSeconds, execute, [customFetch]: fetchBounded }
  return discovery(url, clientId, undefined, clientSecretAs(clientSecret), options)
}

/** Sends the secret by the method that the issuer declares (OpenID Connect Discovery: by header if it declares none). */
function clientSecretAs(secret: string): ClientAuth {
  const [inBody, inHeader] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? []
    return (taken.includes('client_secret_post') ? inBody : inHeader)(server, ...rest)
  }
}

/** Loads once for concurrent callers, caches a result for a while, and keeps the old one if a reload fails. */
function remember<T>(ask: () => Promise<T>, forMs: number): () => Promise<T> {
  let known: { value: T; until: number } | undefined
  let asking: Promise<T> | undefined
  return async () => {
    if (known && performance.now() < known.until) return known.value
    asking ??= ask().finally(() => (asking = undefined))
    try {
      known = { value: await asking, until: performance.now() + forMs }
    } catch (error) {
      if (!known) throw error
    }
    return known.value
  }
}
