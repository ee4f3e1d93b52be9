import type { Env } from './read-env.ts'

/** An environment setting. A test compares this list with `docs/configure.md` and with the settings read at start. */
export interface Setting {
  name: string
  /** A description of the default. */
  fallback: string
  /** The part that is never printed: the whole value (`all`), or the `password` in an address. */
  secret?: 'all' | 'password'
}

const setting = (name: string, fallback: string): Setting => ({ name, fallback })
const secret = (name: string, fallback = 'none'): Setting => ({ name, fallback, secret: 'all' })
const unset = (...names: string[]) => names.map((name) => setting(name, 'none'))

/** Every setting, grouped by the operator's task. */
export const settingGroups: Readonly<Record<string, readonly Setting[]>> = {
  'Addresses and processes': [
    setting('PORT', '3000'),
    setting('HOST', '127.0.0.1'),
    setting('PUBLIC_URL', 'http://localhost:PORT'),
    setting('TRUST_PROXY', '0'),
    setting('ROLE', 'all'),
    setting('DRAIN_SECONDS', '5 at an https address, else 0'),
    setting('LOG_LEVEL', 'info'),
    setting('API_DOCS', '1'),
    setting('METRICS_PORT', 'none'),
    setting('METRICS_HOST', '127.0.0.1'),
    ...unset('OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_TRACES_EXPORTER'),
    secret('OTEL_EXPORTER_OTLP_HEADERS'),
    setting('OTEL_SDK_DISABLED', 'false'),
    ...unset('SENTRY_DSN', 'SANDBOX_HOST_SUFFIX'),
    setting('DEMO', 'on with an embedded database that is empty'),
  ],
  Data: [
    setting('DATA_DIR', './data'),
    setting('DATA_UMASK', '077'),
    { ...setting('DATABASE_URL', 'the embedded database'), secret: 'password' },
    { ...setting('DATABASE_DIRECT_URL', 'the address of DATABASE_URL'), secret: 'password' },
    { ...setting('DATABASE_READ_URL', 'none'), secret: 'password' },
    setting('MIGRATE', 'auto with the embedded database, else off'),
    secret('APP_SECRET', 'generated once in DATA_DIR'),
    secret('MEDIA_SECRET', 'derived from APP_SECRET'),
    ...unset('S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID'),
    secret('S3_SECRET_ACCESS_KEY'),
    setting('S3_REGION', 'us-east-1'),
    setting('S3_FORCE_PATH_STYLE', '1'),
    ...unset('S3_PUBLIC_URL'),
  ],
  Operator: [
    setting('SITE_NAME', 'Cliffhanger'),
    ...unset('SITE_LOGO_PATH', 'OPERATOR_NAME', 'OPERATOR_ADDRESS', 'TAX_NUMBER'),
    setting('TAX_RATE', '0'),
    setting('CONTACT_EMAIL', 'the address of MAIL_FROM'),
    { ...setting('SMTP_URL', 'none: mails are files in DATA_DIR'), secret: 'password' },
    setting('MAIL_FROM', '"SITE_NAME" <no-reply@HOST>'),
    setting('SUPPORT_REFUND_LIMIT_CENTS', '2000'),
  ],
  Payments: [
    setting('ALLOW_SANDBOX', 'on at an http address without keys of another gateway'),
    secret('STRIPE_SECRET_KEY'),
    ...unset('STRIPE_PUBLISHABLE_KEY'),
    secret('STRIPE_WEBHOOK_SECRET'),
    setting('STRIPE_API_BASE', 'https://api.stripe.com'),
    ...unset('APPLE_PAY_DOMAIN_ASSOCIATION'),
    ...unset('PAYPAL_CLIENT_ID'),
    secret('PAYPAL_CLIENT_SECRET'),
    ...unset('PAYPAL_WEBHOOK_ID'),
    setting('PAYPAL_API_BASE', 'https://api-m.paypal.com'),
    setting('PREPAID_BALANCE', 'off'),
    setting('UNPAID_ORDER_RETENTION_DAYS', '30'),
  ],
  Video: [
    setting('FFMPEG_PATH', 'ffmpeg on the PATH, else the one installed with the site'),
    setting('MEDIA_ENCRYPTION', 'off'),
    ...unset('EXTRA_CODEC'),
    setting('INGEST_CORES', 'all'),
    setting('INGEST_MEMORY_MB', '6144'),
    setting('CHROMIUM_PATH', 'found automatically'),
  ],
  'Sign-in': [
    ...unset('GOOGLE_CLIENT_ID'),
    secret('GOOGLE_CLIENT_SECRET'),
    ...unset('FACEBOOK_CLIENT_ID'),
    secret('FACEBOOK_CLIENT_SECRET'),
    ...unset('TIKTOK_CLIENT_KEY'),
    secret('TIKTOK_CLIENT_SECRET'),
    ...unset('OIDC_ISSUER', 'OIDC_CLIENT_ID'),
    secret('OIDC_CLIENT_SECRET'),
    setting('OIDC_NAME', "the issuer's host"),
    ...[
      'GOOGLE_ISSUER',
      'FACEBOOK_WEB_BASE',
      'FACEBOOK_GRAPH_BASE',
      'TIKTOK_WEB_BASE',
      'TIKTOK_OPEN_BASE',
    ].map((name) => setting(name, "the provider's own")),
  ],
  'Advertising and analytics': [
    ...unset('FACEBOOK_PIXEL_ID', 'GOOGLE_ANALYTICS', 'TIKTOK_PIXEL', 'BIGO_PIXEL'),
    setting('CONSENT_MODE', 'standard'),
    secret('META_ACCESS_TOKEN'),
    secret('TIKTOK_ACCESS_TOKEN'),
    setting('META_API_BASE', "the platform's own"),
    setting('TIKTOK_API_BASE', "the platform's own"),
    setting('EVENTS_DAYS', '180'),
    setting('EVENTS_ARCHIVE', 'off'),
  ],
  Limits: [
    setting('RATE_LIMIT_SIGN_IN_PER_ACCOUNT', '20/min'),
    setting('RATE_LIMIT_SIGN_IN_PER_IP', '300/min'),
    setting('RATE_LIMIT_REGISTER_PER_IP', '60/h'),
    setting('RATE_LIMIT_MAIL_LINKS_PER_ACCOUNT', '3/h'),
    setting('RATE_LIMIT_CARD_FAILURES_PER_USER', '5/h'),
    setting('RATE_LIMIT_CARD_FAILURES_PER_IP', '200/h'),
    setting('RATE_LIMIT_CONTACT_PER_IP', '20/h'),
    setting('RATE_LIMIT_API_PER_USER', '600/min'),
    setting('RATE_LIMIT_API_PER_IP', '6000/min'),
    setting('RATE_LIMIT_GUESTS_PER_IP', '600/h'),
    setting('RATE_LIMIT_ORDERS_PER_IP', '200/h'),
    setting('RATE_LIMIT_PAYMENTS_PER_IP', '600/h'),
    setting('RATE_LIMIT_CONSENT_TEXT_BYTES_PER_IP', '300000/h'),
    setting('RATE_LIMIT_LIBRARY_PER_IP', '300/min'),
    setting('RATE_LIMIT_PUSH_SUBSCRIPTIONS_PER_IP', '300/h'),
    setting('RATE_LIMIT_EXPOSURES_PER_IP', '300/min'),
    setting('RATE_LIMIT_IDEMPOTENCY_KEYS_PER_IP', '600/h'),
    setting('RATE_LIMIT_MAIL_LINKS_PER_IP', '60/h'),
    setting('RATE_LIMIT_AUDIT_EVENTS_PER_IP', '300/h'),
    setting('RATE_LIMIT_EVENT_BYTES_PER_IP', '60000/min'),
    setting('RATE_LIMIT_DAILY_EVENT_BYTES_PER_IP', '10000000/d'),
    setting('MAX_EVENT_KB_PER_USER', '4096'),
    setting('DISK_MIN_FREE_MB', '1024'),
    setting('MAX_CONNECTIONS', '5000'),
    setting('MAX_CONNECTIONS_PER_IP', '1000'),
    setting('WRITE_TIMEOUT_SECONDS', '30'),
    setting('MAX_LARGE_RESPONSES', '100'),
    setting('MAX_LARGE_RESPONSES_PER_IP', '20'),
    setting('MAX_CONCURRENT_EXPORTS', '4'),
    setting('EXPORT_TIMEOUT_SECONDS', '300'),
    setting('DATABASE_POOL_TIMEOUT_SECONDS', '4'),
  ],
}

export interface EffectiveSetting {
  name: string
  /** The masked value of a secret, or the description of the default if it is not set. */
  value: string
  source: 'environment' | '.env' | 'file' | 'default'
}

/**
 * Lists every setting with its value and source, group by group. Secrets are masked.
 * @param env the environment; its `ENV_FILE_SETTINGS` lists the settings that scripts/env-file.mjs read from `.env`
 */
export function listEffectiveSettings(env: Env): { group: string; settings: EffectiveSetting[] }[] {
  const fromEnvFile = new Set(env['ENV_FILE_SETTINGS']?.split(','))
  return Object.entries(settingGroups).map(([group, settings]) => ({
    group,
    settings: settings.map((each) => effectiveSetting(each, env, fromEnvFile)),
  }))
}

function effectiveSetting(
  { name, fallback, secret: kind }: Setting,
  env: Env,
  fromEnvFile: ReadonlySet<string>,
): EffectiveSetting {
  const fileName = `${name}_FILE`
  if (env[fileName]?.trim()) return { name, value: `in ${env[fileName]}`, source: 'file' }
  const value = env[name]?.trim()
  if (!value) return { name, value: fallback, source: 'default' }
  return { name, value: mask(value, kind), source: fromEnvFile.has(name) ? '.env' : 'environment' }
}

const masked = '••••••••'

function mask(value: string, kind: Setting['secret']): string {
  if (kind === undefined) return value
  if (kind === 'all') return masked
  return value.split(',').map(maskPassword).join(',')
}

function maskPassword(address: string): string {
  if (!URL.canParse(address)) return masked
  const url = new URL(address)
  const hidden = [url.password, url.searchParams.get('password') ?? ''].filter((password) => password !== '')
  return hidden.reduce((shown, password) => shown.replaceAll(password, masked), address)
}
