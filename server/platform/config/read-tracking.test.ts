import { expect, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import { readTracking } from './read-tracking.ts'

test('reports no conversions unless a token is set', () => {
  expect(readTracking({})).toEqual({
    eventRetentionDays: 180,
    consent: 'standard',
    pixels: {},
    conversions: { meta: undefined, tiktok: undefined },
  })
  const { meta, tiktok } = readTracking({ META_ACCESS_TOKEN: 'm', TIKTOK_ACCESS_TOKEN: 't' }).conversions
  expect(meta).toEqual({ accessToken: 'm', apiBase: 'https://graph.facebook.com' })
  expect(tiktok).toEqual({ accessToken: 't', apiBase: 'https://business-api.tiktok.com' })
})

test("accepts a test server's address, with or without a trailing slash", () => {
  const { meta } = readTracking({ META_ACCESS_TOKEN: 'm', META_API_BASE: 'http://127.0.0.1:9/' }).conversions
  expect(meta?.apiBase).toBe('http://127.0.0.1:9')
})

test.each([
  [{ EVENTS_DAYS: '0' }, /EVENTS_DAYS/],
  [{ FACEBOOK_PIXEL_ID: '"><script>' }, /FACEBOOK_PIXEL_ID/],
  [{ TIKTOK_PIXEL: 'a b' }, /TIKTOK_PIXEL/],
  [{ CONSENT_MODE: 'yes' }, /CONSENT_MODE/],
  [{ META_API_BASE: 'ftp://x' }, /META_API_BASE/],
])('names the invalid setting: %j', (env, name) => {
  expect(() => readTracking(env)).toThrow(ConfigError)
  expect(() => readTracking(env)).toThrow(name)
})
