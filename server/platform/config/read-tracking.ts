import { isDuckDbInstalled, missingDuckDbText } from '#server/platform/duckdb.ts'
import { ConfigError } from './config-error.ts'
import { readEnum, readText, readUrl, readInteger, type Env } from './read-env.ts'

interface ConversionAccount {
  accessToken: string
  apiBase: string
}

/** Settings of analytics events and of the platforms that receive conversions. */
export interface TrackingConfig {
  /** Analytics events are deleted after this many days. */
  eventRetentionDays: number
  /** Whether analytics events are written to the storage as Parquet files before they are deleted. */
  archivesEvents: boolean
  /** `strict`: browsers keep click ids in memory only, until the visitor has consented. */
  consent: 'standard' | 'strict'
  /** The pixel ids that `GET /api/reports` returns unless the operator has set others in the database. */
  pixels: Record<'facebook_pixel_id' | 'google_analytics' | 'tiktok_pixel' | 'bigo_pixel', string | undefined>
  /** The platforms that receive server-side conversions, with consent. The tokens are secrets. */
  conversions: { meta: ConversionAccount | undefined; tiktok: ConversionAccount | undefined }
}

/** Reads the tracking settings. @throws ConfigError naming the invalid setting */
export function readTracking(env: Env): TrackingConfig {
  return {
    eventRetentionDays: readInteger(env, 'EVENTS_DAYS', { min: 1, max: 3650 }) ?? 180,
    archivesEvents: readArchive(env),
    consent: readEnum(env, 'CONSENT_MODE', ['standard', 'strict']) ?? 'standard',
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

function readArchive(env: Env): boolean {
  const archives = readEnum(env, 'EVENTS_ARCHIVE', ['on', 'off']) === 'on'
  if (archives && !isDuckDbInstalled()) throw new ConfigError(`EVENTS_ARCHIVE: ${missingDuckDbText}`)
  return archives
}

function readPixel(env: Env, name: string): string | undefined {
  const value = readText(env, name)
  if (value !== undefined && !/^[\w-]{1,64}$/.test(value))
    throw new ConfigError(`${name} must be an id of letters, digits, - and _, not "${value}".`)
  return value
}

function readAccount(env: Env, name: 'META' | 'TIKTOK', defaultBase: string): ConversionAccount | undefined {
  const apiBase = readUrl(env, `${name}_API_BASE`, ['http:', 'https:'])?.replace(/\/+$/, '') ?? defaultBase
  const accessToken = readText(env, `${name}_ACCESS_TOKEN`)
  return accessToken === undefined ? undefined : { accessToken, apiBase }
}
