import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from './config.ts'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'config-'))
})

afterEach(() => rmSync(dataDir, { recursive: true }))

const load = (env: Record<string, string> = {}) => loadConfig({ DATA_DIR: dataDir, ...env })
const secret = 'x'.repeat(32)

describe('without any setting', () => {
  test('the site is local, and has the demo catalogue and the sandbox', () => {
    expect(load()).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:3000',
      production: false,
      databaseUrl: undefined,
      demo: true,
      trustProxy: 0,
      allowSandbox: true,
      stripe: undefined,
    })
  })

  test('generates a secret once and keeps it readable by the owner only', () => {
    const first = load().secrets.appSecret
    expect(first.length).toBeGreaterThanOrEqual(43)
    expect(load().secrets.appSecret).toBe(first)
    expect(statSync(join(dataDir, 'app-secret')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(dataDir, 'app-secret'), 'utf8').trim()).toBe(first)
  })
})

test('derives the key for media links from APP_SECRET, and accepts two keys in MEDIA_SECRET during rotation', () => {
  const { appSecret, media } = load({ APP_SECRET: secret }).secrets
  expect(media).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
  expect(media).toEqual(load({ APP_SECRET: secret }).secrets.media)
  expect(media).not.toContain(appSecret)
  const [fresh, former] = ['n'.repeat(32), 'f'.repeat(32)]
  expect(load({ MEDIA_SECRET: `${fresh}, ${former}` }).secrets.media).toEqual([fresh, former])
})

test('disables the sandbox at an https address or beside another gateway, unless ALLOW_SANDBOX=1', () => {
  const env = { PUBLIC_URL: 'https://drama.example/' }
  expect(load(env)).toMatchObject({
    publicUrl: 'https://drama.example',
    production: true,
    allowSandbox: false,
  })
  expect(load({ ...env, ALLOW_SANDBOX: '1' }).allowSandbox).toBe(true)
  const otherGateway = { STRIPE_SECRET_KEY: 'sk', STRIPE_PUBLISHABLE_KEY: 'pk', STRIPE_WEBHOOK_SECRET: 'wh' }
  expect(load(otherGateway).allowSandbox).toBe(false)
  expect(load({ ...otherGateway, ALLOW_SANDBOX: '1' }).allowSandbox).toBe(true)
})

test('installs no demo catalogue in an external database unless it is requested', () => {
  const env = { DATABASE_URL: 'postgres://db/site', APP_SECRET: secret }
  expect(load(env).demo).toBe(false)
  expect(load({ ...env, DEMO: '1' }).demo).toBe(true)
})

test('reads comma-separated replica addresses', () => {
  const env = { DATABASE_URL: 'postgres://db/site', APP_SECRET: secret }
  expect(load(env).databaseReadUrls).toEqual([])
  const DATABASE_READ_URL = 'postgres://one/site, postgresql://two/site'
  expect(load({ ...env, DATABASE_READ_URL }).databaseReadUrls).toEqual([
    'postgres://one/site',
    'postgresql://two/site',
  ])
})

test('reads a rate limit per second or hour, and has defaults', () => {
  expect(load().limits).toMatchObject({
    signInAccount: { max: 20, seconds: 60 },
    signInIp: { max: 300, seconds: 60 },
    registerIp: { max: 60, seconds: 3600 },
    mailLinksAccount: { max: 3, seconds: 3600 },
    cardFailuresUser: { max: 5, seconds: 3600 },
    cardFailuresIp: { max: 200, seconds: 3600 },
    apiUser: { max: 600, seconds: 60 },
    apiIp: { max: 6000, seconds: 60 },
  })
  const { limits } = load({ RATE_LIMIT_REGISTER_PER_IP: '5/s', RATE_LIMIT_API_PER_USER: '1/h' })
  expect([limits.registerIp, limits.apiUser]).toEqual([
    { max: 5, seconds: 1 },
    { max: 1, seconds: 3600 },
  ])
})

test('accepts two Stripe webhook secrets during rotation', () => {
  const config = load({
    STRIPE_SECRET_KEY: 'sk',
    STRIPE_PUBLISHABLE_KEY: 'pk',
    STRIPE_WEBHOOK_SECRET: 'a, b',
  })
  expect(config.secrets.stripe).toEqual({ secretKey: 'sk', webhookSecrets: ['a', 'b'] })
  expect(config.stripe).toEqual({ publishableKey: 'pk', apiBase: 'https://api.stripe.com' })
})

test('enables the social providers that have keys, and keeps their secrets apart from their other settings', () => {
  const none = load()
  expect(Object.values(none.social)).toEqual([undefined, undefined, undefined, undefined])
  const config = load({
    GOOGLE_CLIENT_ID: 'google-id',
    GOOGLE_CLIENT_SECRET: 'google-secret',
    OIDC_ISSUER: 'https://id.example/realm',
    OIDC_CLIENT_ID: 'oidc-id',
    OIDC_CLIENT_SECRET: 'oidc-secret',
  })
  expect(config.social).toEqual({
    google: { clientId: 'google-id', issuer: 'https://accounts.google.com' },
    oidc: { clientId: 'oidc-id', issuer: 'https://id.example/realm', name: 'id.example' },
    facebook: undefined,
    tiktok: undefined,
  })
  expect(config.secrets.social).toMatchObject({ google: 'google-secret', oidc: 'oidc-secret' })
})

test.each([
  [{ PORT: 'abc' }, 'PORT must be a whole number from 1 to 65535, not "abc".'],
  [{ PORT: '0' }, 'PORT must be a whole number from 1 to 65535, not "0".'],
  [{ PORT: '65536' }, 'PORT must be a whole number from 1 to 65535, not "65536".'],
  [
    { RATE_LIMIT_SIGN_IN_PER_IP: '20' },
    'RATE_LIMIT_SIGN_IN_PER_IP must be a number per s, min, h or d, such as 20/min, not "20".',
  ],
  [{ RATE_LIMIT_API_PER_USER: '0/min' }, 'RATE_LIMIT_API_PER_USER must be a number per s, min, h or d'],
  [
    { RATE_LIMIT_MAIL_LINKS_PER_ACCOUNT: '3/day' },
    'RATE_LIMIT_MAIL_LINKS_PER_ACCOUNT must be a number per s, min, h or d',
  ],
  [{ PUBLIC_URL: 'drama.example' }, 'PUBLIC_URL must be an address that begins with http:// or https://.'],
  [{ EXTRA_CODEC: 'vp9' }, 'EXTRA_CODEC must be hevc or av1, not "vp9".'],
  [{ INGEST_CORES: '0' }, 'INGEST_CORES must be a whole number from 1 to 1024, not "0".'],
  [{ INGEST_MEMORY_MB: '6G' }, 'INGEST_MEMORY_MB must be a whole number from 512'],
  [{ DEMO: 'yes' }, 'DEMO must be 0 or 1, not "yes".'],
  [{ MAIL_FROM: 'Cliffhanger' }, 'MAIL_FROM must be an address such as'],
  [{ MAIL_FROM: 'Cliffhanger <hello>' }, 'MAIL_FROM must be an address such as'],
  [{ SMTP_URL: 'mail.example:25' }, 'SMTP_URL must be an address that begins with smtp:// or smtps://.'],
  [{ TRUST_PROXY: '-1' }, 'TRUST_PROXY must be a whole number from 0 to 10, not "-1".'],
  [
    { DATABASE_URL: 'mysql://db' },
    'DATABASE_URL must be an address that begins with postgres:// or postgresql://.',
  ],
  [
    { DATABASE_DIRECT_URL: 'postgres://db' },
    'DATABASE_URL is missing: DATABASE_DIRECT_URL is set and requires it.',
  ],
  [
    { DATABASE_READ_URL: 'postgres://db' },
    'DATABASE_URL is missing: DATABASE_READ_URL is set and requires it.',
  ],
  [
    { DATABASE_URL: 'postgres://db', DATABASE_READ_URL: 'postgres://one/site, two' },
    'DATABASE_READ_URL must be an address that begins with postgres:// or postgresql://.',
  ],
  [{ DATABASE_URL: 'postgres://db' }, 'APP_SECRET must be set if DATABASE_URL is set'],
  [{ APP_SECRET: 'short' }, 'APP_SECRET must have at least 32 characters, not 5.'],
  [{ MEDIA_ENCRYPTION: '1' }, 'MEDIA_ENCRYPTION must be aes-128, not "1".'],
  [{ MEDIA_SECRET: `${secret},short` }, 'MEDIA_SECRET must have at least 32 characters, not 5'],
  [{ MEDIA_SECRET: [secret, secret, secret].join(',') }, 'MEDIA_SECRET accepts at most 2 values'],
  [{ STRIPE_SECRET_KEY: 'sk' }, 'STRIPE_PUBLISHABLE_KEY is missing: STRIPE_SECRET_KEY is set'],
  [{ GOOGLE_CLIENT_ID: 'id' }, 'GOOGLE_CLIENT_SECRET is missing: GOOGLE_CLIENT_ID is set'],
  [{ OIDC_CLIENT_SECRET: 's' }, 'OIDC_ISSUER is missing: OIDC_CLIENT_SECRET is set'],
  [{ FACEBOOK_CLIENT_SECRET: 's' }, 'FACEBOOK_CLIENT_ID is missing: FACEBOOK_CLIENT_SECRET is set'],
  [{ TIKTOK_CLIENT_KEY: 'key' }, 'TIKTOK_CLIENT_SECRET is missing: TIKTOK_CLIENT_KEY is set'],
  [
    { OIDC_ISSUER: 'http://id.example', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 's' },
    'OIDC_ISSUER must begin with https:// (http:// only for this machine itself).',
  ],
  [
    { TIKTOK_OPEN_BASE: 'ftp://x' },
    'TIKTOK_OPEN_BASE must be an address that begins with https:// or http://.',
  ],
  [{ ROLE: 'worker' }, /ROLE=worker needs DATABASE_URL/],
  [{ ROLE: 'studio' }, /ROLE must be all or web or worker/],
  [{ DRAIN_SECONDS: '7' }, /DRAIN_SECONDS must be a whole number from 0 to 6/],
  [{ METRICS_PORT: '0' }, /METRICS_PORT must be/],
])('refuses %o and names the setting', (env, message) => {
  expect(() => load({ ...env })).toThrow(message)
})

test('refuses a DATA_DIR that cannot be written and names it', () => {
  const file = join(dataDir, 'file')
  writeFileSync(file, '')
  expect(() => load({ DATA_DIR: join(file, 'data') })).toThrow(
    `DATA_DIR ${join(file, 'data')} can't be written`,
  )
})

test("has no operator by default, and reads and validates the operator's settings", () => {
  expect(load().operator).toEqual({
    site: 'Cliffhanger',
    logo: undefined,
    name: undefined,
    address: undefined,
    email: undefined,
    taxNumber: undefined,
    taxRate: 0,
  })
  const env = { SITE_NAME: 'Dramarama', OPERATOR_NAME: 'Ada', CONTACT_EMAIL: 'ada@drama.example' }
  expect(load(env).operator).toMatchObject({ site: 'Dramarama', name: 'Ada', email: 'ada@drama.example' })
  expect(load({ ...env, PUBLIC_URL: 'https://drama.example' }).mail.from).toBe(
    '"Dramarama" <no-reply@drama.example>',
  )
  expect(load({ TAX_NUMBER: 'DE1', TAX_RATE: '8.1' }).operator).toMatchObject({
    taxNumber: 'DE1',
    taxRate: 810,
  })
  for (const TAX_RATE of ['100', '-1', '19%', '1.234']) expect(() => load({ TAX_RATE })).toThrow('TAX_RATE')
  expect(() => load({ SITE_LOGO_PATH: 'mark.exe' })).toThrow('SITE_LOGO_PATH must be an SVG')
  expect(() => load({ SITE_LOGO_PATH: '/nowhere/mark.svg' })).toThrow('SITE_LOGO_PATH: there is no file')
  expect(() => load({ CONTACT_EMAIL: 'Ada <ada@drama.example>' })).toThrow('CONTACT_EMAIL')
})

test('denies other users access to a new or existing DATA_DIR, unless DATA_UMASK gives a group access', () => {
  const open = join(dataDir, 'open')
  mkdirSync(open, { mode: 0o755 })
  const modeOf = (dir: string) => statSync(dir).mode & 0o777
  load({ DATA_DIR: open })
  expect(modeOf(open)).toBe(0o700)
  load({ DATA_DIR: join(dataDir, 'new') })
  expect(modeOf(join(dataDir, 'new'))).toBe(0o700)
  expect(load({ DATA_DIR: join(dataDir, 'group'), DATA_UMASK: '027' }).umask).toBe(0o027)
  expect(modeOf(join(dataDir, 'group'))).toBe(0o750)
  expect(() => load({ DATA_UMASK: '99' })).toThrow('DATA_UMASK')
})
