export interface SocialIdentitiesTable {
  id: string
  issuer: string
  subject: string
  provider: string
  account_name: string | null
  user_id: string
  created_at: Date
}

export interface UsedOAuthStatesTable {
  state: string
  expires_at: Date
}

export interface SocialTables {
  social_identities: SocialIdentitiesTable
  used_oauth_states: UsedOAuthStatesTable
}
