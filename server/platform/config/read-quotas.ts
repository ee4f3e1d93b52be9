import { readRateLimit, type Env, type RateLimit } from './read-env.ts'

/**
 * Maximum rows or bytes that each network may store within a time window. Mobile carriers put thousands of phones
 * behind one address, so the limits are too high to restrict a single user; they only protect the disk.
 */
const defaultQuotas = {
  /** New guest rows, which are created when something is first stored for a guest. */
  guests: { setting: 'RATE_LIMIT_GUESTS_PER_IP', max: 600, seconds: 3600 },
  orders: { setting: 'RATE_LIMIT_ORDERS_PER_IP', max: 200, seconds: 3600 },
  /** Started payments and payment method set-ups, successful or not. */
  payments: { setting: 'RATE_LIMIT_PAYMENTS_PER_IP', max: 600, seconds: 3600 },
  /** Bytes of new consent texts, stored as shown to the buyer. */
  consentTextBytes: { setting: 'RATE_LIMIT_CONSENT_TEXT_BYTES_PER_IP', max: 300_000, seconds: 3600 },
  /** Stored plays, favorites and tombstones. */
  library: { setting: 'RATE_LIMIT_LIBRARY_PER_IP', max: 300, seconds: 60 },
  /** Browsers in which notifications are turned on. */
  pushSubscriptions: { setting: 'RATE_LIMIT_PUSH_SUBSCRIPTIONS_PER_IP', max: 300, seconds: 3600 },
  /** Guests without a row who are assigned to an experiment. */
  exposures: { setting: 'RATE_LIMIT_EXPOSURES_PER_IP', max: 300, seconds: 60 },
  /** Idempotency keys with their responses. For members the quota is per member instead of per network. */
  idempotencyKeys: { setting: 'RATE_LIMIT_IDEMPOTENCY_KEYS_PER_IP', max: 600, seconds: 3600 },
  /** Requests for mails that contain a link. */
  mailLinks: { setting: 'RATE_LIMIT_MAIL_LINKS_PER_IP', max: 60, seconds: 3600 },
  /** Audit events that unauthenticated clients can cause. */
  auditEvents: { setting: 'RATE_LIMIT_AUDIT_EVENTS_PER_IP', max: 300, seconds: 3600 },
  /** Bytes of analytics events. */
  eventBytes: { setting: 'RATE_LIMIT_EVENT_BYTES_PER_IP', max: 60_000, seconds: 60 },
  dailyEventBytes: { setting: 'RATE_LIMIT_DAILY_EVENT_BYTES_PER_IP', max: 10_000_000, seconds: 86_400 },
} as const

export type QuotaName = keyof typeof defaultQuotas
export type QuotaLimits = Readonly<Record<QuotaName, RateLimit>>

export const quotaNames = Object.keys(defaultQuotas) as readonly QuotaName[]

/** The names of the settings of all quotas, for code that sets all of them. */
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
