import { ConfigError } from './config-error.ts'
import { oneOf, text, url, wholeNumber, type Env } from './read-setting.ts'

interface Account {
  accessToken: string
  apiBase: string
}

/** What is recorded about visits, and who receives it. */
export interface TrackingConfig {
  /** Analytics events older than this are forgotten. */
  eventsDays: number
  /** `strict`: browsers hold click ids in memory only, until the person has agreed. */
  consent: 'usual' | 'strict'
  /** For `GET /api/reports`, where the operator has set none in the database. */
  pixels: Record<'facebook_pixel_id' | 'google_analytics' | 'tiktok_pixel' | 'bigo_pixel', string | undefined>
  /** The platforms that the server reports conversions to, with consent. The tokens are secrets. */
  conversions: { meta: Account | undefined; tiktok: Account | undefined }
}

/** Reads the tracking settings. @throws ConfigError naming the one that is wrong */
export function readTracking(env: Env): TrackingConfig {
  return {
    eventsDays: wholeNumber(env, 'EVENTS_DAYS', { min: 1, max: 3650 }) ?? 180,
    consent: oneOf(env, 'CONSENT', ['usual', 'strict']) ?? 'usual',
    pixels: {
      facebook_pixel_id: readPixel(env, 'FACEBOOK_PIXEL_ID'),
      google_analytics: readPixel(env, 'GOOGLE_ANALYTICS'),
      tiktok_pixel: readPixel(env, 'TIKTOK_PIXEL'),
      bigo_pixel: readPixel(env, 'BIGO_PIXEL'),
    },
    conversions: {
      meta: readAccount(env, 'META', 'https://graph.facebook.com'),
      tiktok: readAccount(env, 'TIKTOK', 'https://business-api.tiktok.com'),
    },
  }
}

function readPixel(env: Env, name: string): string | undefined {
  const value = text(env, name)
  if (value !== undefined && !/^[\w-]{1,64}$/.test(value))
    throw new ConfigError(`${name} must be an id of letters, digits, - and _, not "${value}".`)
  return value
}

function readAccount(env: Env, name: 'META' | 'TIKTOK', usualBase: string): Account | undefined {
  const apiBase = url(env, `${name}_API_BASE`, ['http:', 'https:'])?.replace(/\/+$/, '') ?? usualBase
  const accessToken = text(env, `${name}_ACCESS_TOKEN`)
  return accessToken === undefined ? undefined : { accessToken, apiBase }
}
