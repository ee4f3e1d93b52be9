import type { ColumnType } from 'kysely'

export interface UsersTable {
  id: string
  email: string | null
  display_name: string | null
  language: string | null
  referral_code: string
  created_at: ColumnType<Date, Date | undefined, never>
}

export interface MembersTables {
  users: UsersTable
}
