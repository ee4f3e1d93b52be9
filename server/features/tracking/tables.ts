import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { ClickKind } from './click-kind.ts'

/** A JSON column that is written as text. */
type Json<T extends object> = JSONColumnType<T, string, string>

export interface EventsTable {
  at: Date
  id: string
  name: string
  fields: Json<Record<string, string>>
  user_id: string | null
  fbclid: string | null
  ttclid: string | null
}

export interface SharesTable {
  dedup_key: string
  video_id: string
  at: Date
  aggregated: Generated<boolean>
}

/** The ids of one visit. Click ids are only present with consent. */
export interface Touch {
  referrer_token?: string
  fbclid?: string
  ttclid?: string
}

/** An order's attribution, as stored with it. Click ids and the browser only with consent. */
export interface OrderAttribution extends Touch {
  /** The member who owns the referral code. */
  referrer_user_id?: string
  /** The drama that led to a plan's order. */
  video_id?: string
  /** Required by the advertising platforms with a purchase. */
  user_agent?: string
  /** The first touch, if it differs from the last. */
  first?: Touch & { at: string }
}

export interface AttributionTable {
  user_id: string
  first_touch: Json<Touch>
  first_at: Date
  last_touch: Json<Touch>
  last_at: Date
}

export type ConversionName = 'purchase' | 'subscribe' | 'complete_registration'
export type DestinationId = 'meta' | 'tiktok'

/** A conversion's details beside the event's name, id and time. */
export interface ConversionDetails {
  /** SHA-256 of the normalised address, in hex. */
  email_hash?: string
  fbclid?: string
  ttclid?: string
  /** When the click ids were last seen, in milliseconds since 1970. */
  clicked_at_ms?: number
  user_agent?: string
  amount_cents?: number
  currency?: string
}

export interface ConversionsTable {
  destination: DestinationId
  name: ConversionName
  event_id: string
  user_id: string
  details: Json<ConversionDetails>
  state: ColumnType<'pending' | 'sent' | 'abandoned', never, 'sent' | 'abandoned'>
  attempts: Generated<number>
  next_attempt_at: Date
  at: Date
}

/** Uncounted steps on the way to a payment, without the viewer. */
export interface FunnelStepsTable {
  id: GeneratedAlways<number>
  day: Date
  step: 'visit' | 'play' | 'paywall'
  token: string | null
  click: ClickKind | null
  video_id: string | null
  /** Number of equal steps. */
  count: Generated<number>
}

export interface TrackingTables {
  funnel_steps: FunnelStepsTable
  events: EventsTable
  shares: SharesTable
  attribution: AttributionTable
  conversions: ConversionsTable
}
