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
  /** True if the issuer lets users choose among their accounts. Some issuers refuse requests with this option. */
  supportsAccountChoice?: boolean
}

/** Cache lifetime of a discovery document. */
const discoveryMs = 60 * 60_000
/** Time between a failed reload and the next one. In this time, no sign-in waits for an unreachable issuer. */
const reloadRetryMs = 30_000

/** Creates a provider for OpenID Connect: Google, or any configured issuer. */
export function createOidcProvider(settings: OidcSettings): SocialProvider {
  const configuration = cacheFor(() => discover(settings), discoveryMs, reloadRetryMs)
  return {
    id: settings.id,
    name: settings.name,
    async authorizationUrl(checks, chooseAccount) {
      const scope = 'openid email profile'
      const prompt: Record<string, string> =
        chooseAccount && settings.supportsAccountChoice ? { prompt: 'select_account' } : {}
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
      // Some issuers put only the user's id into the token, so the other claims are fetched.
      const isComplete = 'email' in claims || !userinfo_endpoint
      const userInfo = isComplete ? {} : await fetchUserInfo(config, tokens.access_token, subject)
      return toProfile(issuer, subject, { ...claims, ...userInfo })
    },
  }
}

function toProfile(issuer: string, subject: string, claims: Record<string, unknown>): SocialProfile {
  // Some issuers send the boolean as a string.
  const verified = claims['email_verified'] === true || claims['email_verified'] === 'true'
  const email = verified ? textOf(claims['email']) : undefined
  return { issuer, subject, email, name: textOf(claims['name']) }
}

async function discover(settings: OidcSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret, timeoutSeconds = providerTimeoutSeconds } = settings
  const url = new URL(issuer)
  // Verifies signatures, although the tokens are received directly from the issuer.
  const execute = [enableNonRepudiationChecks]
  // The settings accept http only for addresses of this machine.
  if (url.protocol === 'http:') execute.push(allowInsecureRequests)
  const options = { timeout: timeoutSeconds, execute, [customFetch]: fetchBounded }
  return discovery(url, clientId, undefined, clientSecretAuth(clientSecret), options)
}

/**
 * Sends the secret by the method that the issuer declares. If the issuer declares none, sends it in the header (OpenID
 * Connect Discovery).
 */
function clientSecretAuth(secret: string): ClientAuth {
  const [inBody, inHeader] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, ...rest) => {
    const supportedMethods = server.token_endpoint_auth_methods_supported ?? []
    return (supportedMethods.includes('client_secret_post') ? inBody : inHeader)(server, ...rest)
  }
}

/**
 * Caches a loaded value for `lifetimeMs`. Concurrent callers share one load. If a reload fails, the old value remains
 * in use, and the next reload is tried after `retryMs`.
 */
function cacheFor<T>(load: () => Promise<T>, lifetimeMs: number, retryMs: number): () => Promise<T> {
  let cached: { value: T; until: number } | undefined
  let pending: Promise<T> | undefined
  return async () => {
    if (cached && performance.now() < cached.until) return cached.value
    pending ??= load().finally(() => (pending = undefined))
    try {
      cached = { value: await pending, until: performance.now() + lifetimeMs }
    } catch (error) {
      if (!cached) throw error
      cached.until = performance.now() + retryMs
    }
    return cached.value
  }
}
