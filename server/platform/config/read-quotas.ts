import { limit, type Env, type Limit } from './read-setting.ts'

/**
 * What strangers may leave behind, by network: rows of a kind in a stretch of time, or bytes. Carriers put thousands of phones
 * behind one address, so the figures bound the disk and not the person.
 */
const usual = {
  /** Guests who get a row because something is stored for the first time. */
  guests: { setting: 'LIMIT_GUESTS_IP', max: 600, seconds: 3600 },
  orders: { setting: 'LIMIT_ORDERS_IP', max: 200, seconds: 3600 },
  /** Payments that are begun at a gateway, and set-ups of payment methods, whatever becomes of them. */
  payments: { setting: 'LIMIT_PAYMENTS_IP', max: 600, seconds: 3600 },
  /** Bytes of texts that buyers were shown and that are stored for the first time. */
  wordBytes: { setting: 'LIMIT_WORD_BYTES_IP', max: 300_000, seconds: 3600 },
  /** Plays and favorites that are stored. */
  library: { setting: 'LIMIT_LIBRARY_IP', max: 300, seconds: 60 },
  /** Guests without a row who meet an experiment. */
  exposures: { setting: 'LIMIT_EXPOSURES_IP', max: 300, seconds: 60 },
  /** Idempotency keys, which are stored with their answers; of a member, who is counted in place of the network. */
  keys: { setting: 'LIMIT_KEYS_IP', max: 600, seconds: 3600 },
  /** Requests for a mail with a link. */
  mailLinks: { setting: 'LIMIT_MAIL_LINKS_IP', max: 60, seconds: 3600 },
  /** Entries of one kind in the audit trail that strangers can cause at will. */
  audit: { setting: 'LIMIT_AUDIT_IP', max: 300, seconds: 3600 },
  /** Bytes of analytics events. */
  eventBytes: { setting: 'LIMIT_EVENT_BYTES_IP', max: 60_000, seconds: 60 },
  eventBytesOfDay: { setting: 'LIMIT_EVENT_BYTES_IP_DAY', max: 10_000_000, seconds: 86_400 },
} as const

export type QuotaName = keyof typeof usual
export type QuotaLimits = Readonly<Record<QuotaName, Limit>>

export const quotaNames = Object.keys(usual) as readonly QuotaName[]

/** The names of the settings, for code that sets all of them. */
export const quotaSettings = quotaNames.map((name) => usual[name].setting)

/** Reads how much of each kind a network may leave behind. @throws ConfigError naming the setting that is wrong */
export function readQuotas(env: Env): QuotaLimits {
  const read = quotaNames.map((name) => {
    const { setting, max, seconds } = usual[name]
    return [name, limit(env, setting) ?? { max, seconds }]
  })
  // Object.fromEntries forgets which names there are; all of them are here.
  return Object.freeze(Object.fromEntries(read) as QuotaLimits)
}
