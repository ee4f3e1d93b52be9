export interface IdentitiesTable {
  id: string
  issuer: string
  subject: string
  provider: string
  known_as: string | null
  user_id: string
  created_at: Date
}

export interface UsedSocialStatesTable {
  state: string
  ends_at: Date
}

export interface SocialTables {
  identities: IdentitiesTable
  used_social_states: UsedSocialStatesTable
}
