import { ConfigError } from './config-error.ts'
import { readAllOrNone, readText, readUrl, type Env } from './read-env.ts'

/** The enabled social providers: those whose keys are set. */
export interface SocialSettings {
  google: { clientId: string; issuer: string } | undefined
  oidc: { clientId: string; issuer: string; name: string } | undefined
  facebook: { clientId: string; webBase: string; apiBase: string } | undefined
  tiktok: { clientKey: string; webBase: string; apiBase: string } | undefined
}

/** One client secret for each provider that has keys. */
export type SocialSecrets = { [Provider in keyof SocialSettings]: string | undefined }

/**
 * Reads the keys of the social providers, all or none of each provider.
 * @throws ConfigError naming the missing or invalid setting
 */
export function readSocial(env: Env): { social: SocialSettings; socialSecrets: SocialSecrets } {
  const google = readAllOrNone(env, ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'])
  const oidc = readAllOrNone(env, ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])
  const facebook = readAllOrNone(env, ['FACEBOOK_CLIENT_ID', 'FACEBOOK_CLIENT_SECRET'])
  const tiktok = readAllOrNone(env, ['TIKTOK_CLIENT_KEY', 'TIKTOK_CLIENT_SECRET'])
  const googleIssuer = readSafeUrl(env, 'GOOGLE_ISSUER') ?? 'https://accounts.google.com'
  const oidcIssuer = readSafeUrl(env, 'OIDC_ISSUER') ?? ''
  const facebookBases = {
    webBase: readBaseUrl(env, 'FACEBOOK_WEB_BASE') ?? 'https://www.facebook.com',
    apiBase: readBaseUrl(env, 'FACEBOOK_GRAPH_BASE') ?? 'https://graph.facebook.com',
  }
  const tiktokBases = {
    webBase: readBaseUrl(env, 'TIKTOK_WEB_BASE') ?? 'https://www.tiktok.com',
    apiBase: readBaseUrl(env, 'TIKTOK_OPEN_BASE') ?? 'https://open.tiktokapis.com',
  }
  return {
    social: {
      google: google && { clientId: google.GOOGLE_CLIENT_ID, issuer: googleIssuer },
      oidc: oidc && {
        clientId: oidc.OIDC_CLIENT_ID,
        issuer: oidcIssuer,
        name: readText(env, 'OIDC_NAME') ?? new URL(oidcIssuer).hostname,
      },
      facebook: facebook && { clientId: facebook.FACEBOOK_CLIENT_ID, ...facebookBases },
      tiktok: tiktok && { clientKey: tiktok.TIKTOK_CLIENT_KEY, ...tiktokBases },
    },
    socialSecrets: {
      google: google?.GOOGLE_CLIENT_SECRET,
      oidc: oidc?.OIDC_CLIENT_SECRET,
      facebook: facebook?.FACEBOOK_CLIENT_SECRET,
      tiktok: tiktok?.TIKTOK_CLIENT_SECRET,
    },
  }
}

function readBaseUrl(env: Env, name: string): string | undefined {
  return readSafeUrl(env, name)?.replace(/\/+$/, '')
}

const localhostPattern = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Reads a provider's URL. It must use https or be on this machine, so that nobody can tamper with the responses, which
 * identify users.
 */
function readSafeUrl(env: Env, name: string): string | undefined {
  const value = readUrl(env, name, ['https:', 'http:'])
  if (value === undefined) return undefined
  const { protocol, hostname } = new URL(value)
  if (protocol === 'https:' || localhostPattern.test(hostname)) return value
  throw new ConfigError(`${name} must begin with https:// (http:// only for this machine itself).`)
}
