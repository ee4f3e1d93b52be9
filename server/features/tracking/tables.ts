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

/** A touch: the ids with which a user arrived at the site. Click ids are stored only with consent. */
export interface Touch {
  referrer_token?: string
  fbclid?: string
  ttclid?: string
}

/**
 * The attribution of an order, which is stored with the order. Click ids and the user agent are stored only with
 * consent.
 */
export interface OrderAttribution extends Touch {
  /** The member who owns the referral code. */
  referrer_user_id?: string
  /** For an order of a plan: the video that is credited with the sale. */
  video_id?: string
  /** The user agent, which advertising platforms require in the report of a purchase. */
  user_agent?: string
  /** The first touch, if it differs from the last touch. */
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

/** The data of a conversion besides the name, id and time of the event. */
export interface ConversionDetails {
  /** SHA-256 of the normalised e-mail address, in hex. */
  email_hash?: string
  fbclid?: string
  ttclid?: string
  /** The time at which the click ids were last seen, in milliseconds since 1970. */
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

/** Uncounted steps of the purchase funnel, without the viewer. */
export interface FunnelStepsTable {
  id: GeneratedAlways<number>
  day: Date
  step: 'visit' | 'play' | 'paywall'
  token: string | null
  click: ClickKind | null
  video_id: string | null
  /** The number of equal steps that this row represents. */
  count: Generated<number>
}

export interface TrackingTables {
  funnel_steps: FunnelStepsTable
  events: EventsTable
  shares: SharesTable
  attribution: AttributionTable
  conversions: ConversionsTable
}
