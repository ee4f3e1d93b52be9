import { readRateLimit, type Env, type RateLimit } from './read-env.ts'

/**
 * Maximum rows or bytes that each network may store within a time. Mobile carriers put thousands of phones behind one address, so
 * the limits protect the disk and do not restrict a single user.
 */
const defaultQuotas = {
  /** New guest rows, which are created when something is first stored for a guest. */
  guests: { setting: 'LIMIT_GUESTS_IP', max: 600, seconds: 3600 },
  orders: { setting: 'LIMIT_ORDERS_IP', max: 200, seconds: 3600 },
  /** Started payments and payment method set-ups, successful or not. */
  payments: { setting: 'LIMIT_PAYMENTS_IP', max: 600, seconds: 3600 },
  /** Bytes of new consent texts, stored as shown to the buyer. */
  wordBytes: { setting: 'LIMIT_WORD_BYTES_IP', max: 300_000, seconds: 3600 },
  /** Stored plays and favorites. */
  library: { setting: 'LIMIT_LIBRARY_IP', max: 300, seconds: 60 },
  /** Browsers in which notifications are turned on. */
  push: { setting: 'LIMIT_PUSH_IP', max: 300, seconds: 3600 },
  /** Guests without a row who are assigned to an experiment. */
  exposures: { setting: 'LIMIT_EXPOSURES_IP', max: 300, seconds: 60 },
  /** Idempotency keys with their responses. For members the quota is per member instead of per network. */
  keys: { setting: 'LIMIT_KEYS_IP', max: 600, seconds: 3600 },
  /** Requests for mails that contain a link. */
  mailLinks: { setting: 'LIMIT_MAIL_LINKS_IP', max: 60, seconds: 3600 },
  /** Audit events of one kind that unauthenticated clients can cause. */
  audit: { setting: 'LIMIT_AUDIT_IP', max: 300, seconds: 3600 },
  /** Bytes of analytics events. */
  eventBytes: { setting: 'LIMIT_EVENT_BYTES_IP', max: 60_000, seconds: 60 },
  eventBytesOfDay: { setting: 'LIMIT_EVENT_BYTES_IP_DAY', max: 10_000_000, seconds: 86_400 },
} as const

export type QuotaName = keyof typeof defaultQuotas
export type QuotaLimits = Readonly<Record<QuotaName, RateLimit>>

export const quotaNames = Object.keys(defaultQuotas) as readonly QuotaName[]

/** The names of the settings, for code that sets all of them. */
export const quotaSettings = quotaNames.map((name) => defaultQuotas[name].setting)

/** Reads the quotas from the settings. @throws ConfigError naming the invalid setting */
export function readQuotas(env: Env): QuotaLimits {
  const read = quotaNames.map((name) => {
    const { setting, max, seconds } = defaultQuotas[name]
    return [name, readRateLimit(env, setting) ?? { max, seconds }]
  })
  // Object.fromEntries loses the type of the keys; all of them are present.
  return Object.freeze(Object.fromEntries(read) as QuotaLimits)
}
