import { expect, onTestFinished, test, vi } from 'vitest'
import { ConfigError } from './config-error.ts'
import { readTracking } from './read-tracking.ts'

test('reports no conversions unless a token is set', () => {
  expect(readTracking({})).toEqual({
    eventRetentionDays: 180,
    archivesEvents: false,
    consent: 'standard',
    pixels: {},
    conversions: { meta: undefined, tiktok: undefined },
  })
  const { meta, tiktok } = readTracking({ META_ACCESS_TOKEN: 'm', TIKTOK_ACCESS_TOKEN: 't' }).conversions
  expect(meta).toEqual({ accessToken: 'm', apiBase: 'https://graph.facebook.com' })
  expect(tiktok).toEqual({ accessToken: 't', apiBase: 'https://business-api.tiktok.com' })
})

test("accepts a test server's address, and removes its trailing slash", () => {
  const { meta } = readTracking({ META_ACCESS_TOKEN: 'm', META_API_BASE: 'http://127.0.0.1:9/' }).conversions
  expect(meta?.apiBase).toBe('http://127.0.0.1:9')
})

test.each([
  [{ EVENTS_DAYS: '0' }, /EVENTS_DAYS/],
  [{ EVENTS_ARCHIVE: 'yes' }, /EVENTS_ARCHIVE/],
  [{ FACEBOOK_PIXEL_ID: '"><script>' }, /FACEBOOK_PIXEL_ID/],
  [{ TIKTOK_PIXEL: 'a b' }, /TIKTOK_PIXEL/],
  [{ CONSENT_MODE: 'yes' }, /CONSENT_MODE/],
  [{ META_API_BASE: 'ftp://x' }, /META_API_BASE/],
])('names the invalid setting: %j', (env, name) => {
  expect(() => readTracking(env)).toThrow(ConfigError)
  expect(() => readTracking(env)).toThrow(name)
})

test('names the missing package if the archive of events is on but its package is not installed', async () => {
  expect(readTracking({ EVENTS_ARCHIVE: 'on' }).archivesEvents).toBe(true)
  const duckdb = await import('#server/platform/duckdb.ts')
  vi.doMock('#server/platform/duckdb.ts', () => ({ ...duckdb, isDuckDbInstalled: () => false }))
  onTestFinished(() => void vi.doUnmock('#server/platform/duckdb.ts'))
  vi.resetModules()
  const without = await import('./read-tracking.ts')
  expect(without.readTracking({ EVENTS_ARCHIVE: 'off' }).archivesEvents).toBe(false)
  expect(() => without.readTracking({ EVENTS_ARCHIVE: 'on' })).toThrow(
    /EVENTS_ARCHIVE: .*@duckdb\/node-api.*--build-arg/,
  )
})
