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

/** What one visit brought along. Click ids are there only with consent. */
export interface Touch {
  referrer_token?: string
  fbclid?: string
  ttclid?: string
}

/** Where an order came from, as it is kept with the order. Click ids and the browser only with consent. */
export interface OrderAttribution extends Touch {
  /** The member whose referral code the token is. */
  referrer_user_id?: string
  /** Of a plan's order: the drama that led to it. */
  video_id?: string
  /** For the advertising platforms, which want to know it with a purchase. */
  user_agent?: string
  /** The first touch, where it is another than the last. */
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

/** What an advertising platform is told beside the event's name, id and time. */
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
  state: ColumnType<'waiting' | 'sent' | 'abandoned', never, 'sent' | 'abandoned'>
  tries: Generated<number>
  try_at: Date
  at: Date
}

/** Steps on the way to a payment that are not yet counted; they name nobody. */
export interface FunnelStepsTable {
  id: GeneratedAlways<number>
  day: Date
  step: 'visit' | 'play' | 'paywall'
  token: string | null
  click: ClickKind | null
  video_id: string | null
  /** How many steps it stands for. */
  count: Generated<number>
}

export interface TrackingTables {
  funnel_steps: FunnelStepsTable
  events: EventsTable
  shares: SharesTable
  attribution: AttributionTable
  conversions: ConversionsTable
}
