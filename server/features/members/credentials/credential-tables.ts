import type { Generated } from 'kysely'

export type LinkPurpose = 'reset' | 'verify'

export interface MailLinksTable {
  /** SHA-256 of the secret. */
  hash: Buffer
  user_id: string
  purpose: LinkPurpose
  email: string
  expires_at: Date
  created_at: Date
}

export interface PasswordResetRequestsTable {
  id: Generated<number>
  email: string
  language: string
  created_at: Date
}

export interface SecondFactorsTable {
  user_id: string
  encrypted_secret: Buffer
  confirmed_at: Date | null
  last_totp_step: Generated<number>
}

export interface RecoveryCodesTable {
  user_id: string
  hash: Buffer
}

export interface CredentialTables {
  mail_links: MailLinksTable
  password_reset_requests: PasswordResetRequestsTable
  second_factors: SecondFactorsTable
  recovery_codes: RecoveryCodesTable
}
