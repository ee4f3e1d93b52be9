import { accessSync, chmodSync, constants, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import {
  readAllOrNone,
  readFlag,
  readList,
  readEnum,
  readText,
  readUrl,
  readInteger,
  type Env,
  readRateLimit,
  type RateLimit,
} from './read-env.ts'
import { readQuotas, type QuotaLimits } from './read-quotas.ts'
import { readResourceLimits, type ResourceLimits } from './read-resource-limits.ts'
import { readDatabase } from './read-database.ts'
import { readIngest, type IngestConfig } from './read-ingest.ts'
import { readOperator, type OperatorConfig } from './read-operator.ts'
import { readRefundLimits, type RefundLimits } from './read-refund-limits.ts'
import { readS3, type S3Config } from './read-s3.ts'
import { readTracking, type TrackingConfig } from './read-tracking.ts'
import { readTracing } from './read-tracing.ts'
import { readAppSecret, readMediaSecrets } from './read-secrets.ts'
import { readSocial, type SocialSecrets, type SocialSettings } from './read-social.ts'

/** Keys and passwords. They are never logged and are only sent to the party they belong to. */
export interface Secrets {
  /** Signs tokens and the links in mails, and encrypts secrets in the database. */
  appSecret: string
  /** Keys for signed media URLs: the first signs, all of them verify. nginx or a CDN may have them too. */
  media: readonly string[]
  stripe: { secretKey: string; webhookSecrets: string[] } | undefined
  paypal: { clientSecret: string } | undefined
  s3: { secretAccessKey: string } | undefined
  social: SocialSecrets
}

/** Rate limits, counted across all processes (docs/security.md). */
export interface RateLimits {
  signInAccount: RateLimit
  signInIp: RateLimit
  registerIp: RateLimit
  mailLinksAccount: RateLimit
  cardFailuresUser: RateLimit
  cardFailuresIp: RateLimit
  contactIp: RateLimit
  apiUser: RateLimit
  apiIp: RateLimit
}

const roles = ['all', 'web', 'worker'] as const
export type Role = (typeof roles)[number]

/** Every setting, read once at start and described in `docs/configure.md`. */
export interface Config {
  port: number
  host: string
  /** Without a slash at the end. https means production. */
  publicUrl: string
  /** True if PUBLIC_URL is set; otherwise the address is derived from PORT. */
  isPublicUrlSet: boolean
  production: boolean
  logLevel: string
  /** The absolute path of a writable directory. */
  dataDir: string
  /** The umask for files of the site. */
  umask: number
  /** Undefined means the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined
  /** The direct address of PostgreSQL if `databaseUrl` leads to a pooler in transaction mode. */
  databaseDirectUrl: string | undefined
  /** Read replicas for catalogue queries. */
  databaseReadUrls: readonly string[]
  /** Whether a start runs pending migrations. */
  migrate: boolean
  /** Whether an empty database is filled with the demo catalogue. */
  demo: boolean
  ffmpegPath: string | undefined
  /** Encryption of the segments of new imports; undefined means none. */
  mediaEncrypt: 'aes-128' | undefined
  ingest: IngestConfig
  chromiumPath: string | undefined
  /** The number of proxies in front whose X-Forwarded-For entries are trusted. */
  trustProxy: number
  /** The role of this process: the HTTP server, the background jobs, or both (with a worker process). */
  role: Role
  /** Time for which the listener stays open after a stop signal, until the load balancer sends no new requests. */
  drainMs: number
  /** Whether the API reference is served at /api/docs. */
  apiDocs: boolean
  /** The address where Prometheus scrapes the metrics; undefined disables them. */
  metrics: { port: number; host: string } | undefined
  /** Whether the sandbox gateway is allowed: by default only without https and without another gateway's keys. */
  allowSandbox: boolean
  stripe: { publishableKey: string; apiBase: string; applePayDomain?: string | undefined } | undefined
  paypal: { clientId: string; webhookId: string; apiBase: string } | undefined
  /** Whether members may have a prepaid balance. */
  balance: boolean
  /** Maximum refunds by operators with the role of support. */
  supportRefunds: RefundLimits
  mail: { smtpUrl: string | undefined; from: string }
  operator: OperatorConfig
  s3: S3Config | undefined
  social: SocialSettings
  sentry: { dsn: string | undefined; sandboxHostSuffix: string | undefined }
  /** Trace export. The library reads `OTEL_*` itself, except headers that are in a file. */
  tracing: { headers: string | undefined } | undefined
  limits: RateLimits
  resourceLimits: ResourceLimits
  quotas: QuotaLimits
  tracking: TrackingConfig
  secrets: Secrets
}

/**
 * Reads the settings from the environment into one frozen value. Creates DATA_DIR, and APP_SECRET in it if none is set.
 * @throws ConfigError whose message names the invalid setting
 */
export function loadConfig(env: Env): Readonly<Config> {
  const port = readInteger(env, 'PORT', { min: 1, max: 65_535 }) ?? 3000
  const givenUrl = readUrl(env, 'PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, '')
  const publicUrl = givenUrl ?? `http://localhost:${port}`
  const production = publicUrl.startsWith('https:')
  const database = readDatabase(env)
  const { databaseUrl } = database
  const umask = readUmask(env)
  const dataDir = prepareDataDir(resolve(readText(env, 'DATA_DIR') ?? 'data'), umask)
  const { stripe, stripeSecrets } = readStripe(env)
  const { paypal, paypalSecrets } = readPaypal(env)
  const { s3, s3Secrets } = readS3(env)
  const { social, socialSecrets } = readSocial(env)
  const operator = readOperator(env)
  const appSecret = readAppSecret(env, dataDir, databaseUrl)
  return Object.freeze({
    port,
    host: readText(env, 'HOST') ?? '127.0.0.1',
    publicUrl,
    isPublicUrlSet: givenUrl !== undefined,
    production,
    logLevel: readEnum(env, 'LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent']) ?? 'info',
    dataDir,
    umask,
    ...database,
    migrate:
      (readEnum(env, 'MIGRATE', ['auto', 'off']) ?? (databaseUrl === undefined ? 'auto' : 'off')) === 'auto',
    demo: readFlag(env, 'DEMO') ?? databaseUrl === undefined,
    ffmpegPath: readText(env, 'FFMPEG_PATH'),
    mediaEncrypt: readEnum(env, 'MEDIA_ENCRYPTION', ['aes-128']),
    ingest: readIngest(env),
    chromiumPath: readText(env, 'CHROMIUM_PATH'),
    trustProxy: readInteger(env, 'TRUST_PROXY', { min: 0, max: 10 }) ?? 0,
    role: readRole(env, databaseUrl),
    drainMs: 1000 * (readInteger(env, 'DRAIN_SECONDS', { min: 0, max: 6 }) ?? (production ? 5 : 0)),
    apiDocs: readFlag(env, 'API_DOCS') ?? true,
    metrics: readMetrics(env),
    allowSandbox: readFlag(env, 'ALLOW_SANDBOX') ?? !(production || stripe || paypal),
    stripe,
    paypal,
    balance: readEnum(env, 'PREPAID_BALANCE', ['on', 'off']) === 'on',
    supportRefunds: readRefundLimits(env),
    mail: {
      smtpUrl: readUrl(env, 'SMTP_URL', ['smtp:', 'smtps:']),
      from: readMailFrom(env) ?? `"${escapeQuotes(operator.site)}" <no-reply@${new URL(publicUrl).hostname}>`,
    },
    operator,
    s3,
    social,
    sentry: {
      dsn: readUrl(env, 'SENTRY_DSN', ['http:', 'https:']),
      sandboxHostSuffix: readText(env, 'SANDBOX_HOST_SUFFIX'),
    },
    tracing: readTracing(env),
    limits: readRateLimits(env),
    resourceLimits: readResourceLimits(env),
    quotas: readQuotas(env),
    tracking: readTracking(env),
    secrets: Object.freeze({
      appSecret,
      media: readMediaSecrets(env, appSecret),
      stripe: stripeSecrets,
      paypal: paypalSecrets,
      s3: s3Secrets,
      social: socialSecrets,
    }),
  })
}

/**
 * Reads the role of this process.
 * @throws ConfigError for ROLE=web or worker with the embedded database, which only one site process may use
 */
function readRole(env: Env, databaseUrl: string | undefined): Role {
  const role = readEnum(env, 'ROLE', roles) ?? 'all'
  if (role !== 'all' && databaseUrl === undefined)
    throw new ConfigError(`ROLE=${role} needs DATABASE_URL: the embedded database is only for ROLE=all.`)
  return role
}

function readMetrics(env: Env): Config['metrics'] {
  const port = readInteger(env, 'METRICS_PORT', { min: 1, max: 65_535 })
  const host = readText(env, 'METRICS_HOST') ?? '127.0.0.1'
  return port === undefined ? undefined : { port, host }
}

/** Reads three octal digits, as for the shell's `umask`. @throws ConfigError naming DATA_UMASK */
function readUmask(env: Env): number {
  const umask = readText(env, 'DATA_UMASK') ?? '077'
  if (/^0?[0-7]{3}$/.test(umask)) return parseInt(umask, 8)
  throw new ConfigError(`DATA_UMASK must be three digits from 0 to 7, such as 077, not "${umask}".`)
}

export function readRateLimits(env: Env): RateLimits {
  return Object.freeze({
    signInAccount: readRateLimit(env, 'RATE_LIMIT_SIGN_IN_PER_ACCOUNT') ?? { max: 20, seconds: 60 },
    signInIp: readRateLimit(env, 'RATE_LIMIT_SIGN_IN_PER_IP') ?? { max: 300, seconds: 60 },
    registerIp: readRateLimit(env, 'RATE_LIMIT_REGISTER_PER_IP') ?? { max: 60, seconds: 3600 },
    mailLinksAccount: readRateLimit(env, 'RATE_LIMIT_MAIL_LINKS_PER_ACCOUNT') ?? { max: 3, seconds: 3600 },
    cardFailuresUser: readRateLimit(env, 'RATE_LIMIT_CARD_FAILURES_PER_USER') ?? { max: 5, seconds: 3600 },
    cardFailuresIp: readRateLimit(env, 'RATE_LIMIT_CARD_FAILURES_PER_IP') ?? { max: 200, seconds: 3600 },
    contactIp: readRateLimit(env, 'RATE_LIMIT_CONTACT_PER_IP') ?? { max: 20, seconds: 3600 },
    apiUser: readRateLimit(env, 'RATE_LIMIT_API_PER_USER') ?? { max: 600, seconds: 60 },
    apiIp: readRateLimit(env, 'RATE_LIMIT_API_PER_IP') ?? { max: 6000, seconds: 60 },
  })
}

/**
 * Reads the sender of mails: an address, or a name and an address in angle brackets.
 * @throws ConfigError naming MAIL_FROM
 */
export function readMailFrom(env: Env): string | undefined {
  const from = readText(env, 'MAIL_FROM')
  if (from === undefined || /^[^<>@\s]+@[^<>@\s]+$|^[^<>]*<[^<>@\s]+@[^<>@\s]+>$/.test(from)) return from
  throw new ConfigError(
    `MAIL_FROM must be an address such as "Cliffhanger <hello@drama.example>", not "${from}".`,
  )
}

/** Escapes a name for use between the quotes of a mail header. */
const escapeQuotes = (name: string) => name.replaceAll(/["\\]/g, '\\$&')

function readStripe(env: Env) {
  const keys = readAllOrNone(env, ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'])
  const apiBase = readUrl(env, 'STRIPE_API_BASE', ['http:', 'https:']) ?? 'https://api.stripe.com'
  if (!keys) return { stripe: undefined, stripeSecrets: undefined }
  const webhookSecrets = readList(env, 'STRIPE_WEBHOOK_SECRET', 2)
  return {
    stripe: {
      publishableKey: keys.STRIPE_PUBLISHABLE_KEY,
      apiBase,
      applePayDomain: readText(env, 'APPLE_PAY_DOMAIN_ASSOCIATION'),
    },
    stripeSecrets: { secretKey: keys.STRIPE_SECRET_KEY, webhookSecrets },
  }
}

function readPaypal(env: Env) {
  const keys = readAllOrNone(env, ['PAYPAL_CLIENT_ID', 'PAYPAL_CLIENT_SECRET', 'PAYPAL_WEBHOOK_ID'])
  const apiBase = readUrl(env, 'PAYPAL_API_BASE', ['http:', 'https:']) ?? 'https://api-m.paypal.com'
  if (!keys) return { paypal: undefined, paypalSecrets: undefined }
  return {
    paypal: { clientId: keys.PAYPAL_CLIENT_ID, webhookId: keys.PAYPAL_WEBHOOK_ID, apiBase },
    paypalSecrets: { clientSecret: keys.PAYPAL_CLIENT_SECRET },
  }
}

/** Removes the permissions of `umask` from an existing directory that belongs to this user. */
function removeOthersPermissions(dir: string, umask: number): void {
  const { uid, mode } = statSync(dir)
  if (uid === process.getuid?.() && (mode & umask) !== 0) chmodSync(dir, mode & 0o777 & ~umask)
}

function prepareDataDir(dir: string, umask: number): string {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o777 & ~umask })
    removeOthersPermissions(dir, umask)
    const probe = join(dir, `.write-test-${process.pid}`)
    writeFileSync(probe, '')
    rmSync(probe)
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK)
    return dir
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new ConfigError(
      `DATA_DIR ${dir} can't be written (${reason}): choose a directory this user may write to.`,
      { cause: error },
    )
  }
}
