import type { Generated } from 'kysely'
import type { Role } from '#contract/studio/roles.ts'
import type { FunnelTables } from './funnel/tables.ts'
import type { SystemTables } from './system/tables.ts'

export interface OperatorsTable {
  id: string
  email: string
  role: Role
  password_hash: string | null
  encrypted_totp_secret: Buffer | null
  last_totp_step: Generated<number>
  active_since: Date | null
  last_seen_at: Date | null
  created_at: Date
}

export interface OperatorSessionsTable {
  id: string
  operator_id: string
  /** SHA-256 of the token in the cookie. */
  token_hash: Buffer
  user_agent: string
  created_at: Date
  last_seen_at: Date
}

export interface OperatorInvitationsTable {
  operator_id: string
  /** SHA-256 of the secret in the link. */
  secret_hash: Buffer
  encrypted_totp_secret: Buffer | null
  expires_at: Date
}

export interface OperatorRecoveryCodesTable {
  operator_id: string
  hash: Buffer
}

export interface CampaignLinksTable {
  id: string
  name: string
  token: string
  episode_id: string
  created_at: Date
}

export interface StudioTables extends SystemTables, FunnelTables {
  campaign_links: CampaignLinksTable
  operators: OperatorsTable
  operator_sessions: OperatorSessionsTable
  operator_invitations: OperatorInvitationsTable
  operator_recovery_codes: OperatorRecoveryCodesTable
}
