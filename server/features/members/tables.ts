import type { ColumnType, Generated } from 'kysely'

/** A date that is null until the event. */
type Moment = Generated<Date | null>

export interface UsersTable {
  id: string
  email: string | null
  display_name: string | null
  language: string | null
  /** The IANA time zone of the browser used last. */
  time_zone: Generated<string | null>
  referral_code: string
  /** The time by the site's clock, never by the database's. */
  created_at: ColumnType<Date, Date, never>
  password_hash: Generated<string | null>
  email_verified_at: Moment
  avatar_url: Generated<string | null>
  consent_marketing: Generated<boolean | null>
  consent_at: Moment
  /** Version of the consent text that the user answered. */
  consent_version: Generated<string | null>
  member_since: Moment
  merged_into: Generated<string | null>
  /** The last activity that the purge of idle guests found; null until the purge first checks the guest. */
  last_active_at: Moment
  deleted_at: Moment
}

export interface SessionsTable {
  id: string
  user_id: string
  token_hash: Buffer
  user_agent: string
  created_at: ColumnType<Date, Date, never>
  last_seen_at: Date
}

export interface SignInFailuresTable {
  account: string
  failures: number
  locked_until: Date
}

export interface MembersTables {
  users: UsersTable
  sessions: SessionsTable
  sign_in_failures: SignInFailuresTable
}
