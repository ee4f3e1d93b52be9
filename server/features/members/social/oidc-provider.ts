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
  /** Whether it lets people choose among their accounts; some issuers refuse whom they are asked to do so for. */
  asksWhich?: boolean
}

/** How long a discovery document is believed. */
const discoveryMs = 60 * 60_000

/** A provider that speaks OpenID Connect: Google, or any issuer by settings. */
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
      // Some issuers say of a person no more than the id unless they are asked.
      const asked = 'email' in claims || !userinfo_endpoint
      const more = asked ? {} : await fetchUserInfo(config, tokens.access_token, subject)
      return presentPerson(issuer, subject, { ...claims, ...more })
    },
  }
}

function presentPerson(issuer: string, subject: string, claims: Record<string, unknown>): SocialProfile {
  // Some issuers write the word for the truth value.
  const verified = claims['email_verified'] === true || claims['email_verified'] === 'true'
  const email = verified ? textOf(claims['email']) : undefined
  return { issuer, subject, email, name: textOf(claims['name']) }
}

async function discover(settings: OidcSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret, timeoutSeconds = providerTimeoutSeconds } = settings
  const url = new URL(issuer)
  // Signatures are verified even though the tokens come straight from the issuer.
  const execute = [enableNonRepudiationChecks]
  // The settings allow http for this machine alone.
  if (url.protocol === 'http:') execute.push(allowInsecureRequests)
  const options = { timeout: timeoutSeconds, execute, [customFetch]: fetchBounded }
  return discovery(url, clientId, undefined, clientSecretAs(clientSecret), options)
}

/** Sends the secret in the way that the issuer declares (OpenID Connect Discovery: by header if it declares none). */
function clientSecretAs(secret: string): ClientAuth {
  const [inBody, inHeader] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? []
    return (taken.includes('client_secret_post') ? inBody : inHeader)(server, ...rest)
  }
}

/** Asks once for all who wait, keeps a good answer for a while, and lives on with the old one where asking again fails. */
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
