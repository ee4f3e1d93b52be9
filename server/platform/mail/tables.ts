import type { ColumnType, Generated } from 'kysely'

export interface MailsTable {
  id: string
  recipient: string
  template: string
  language: string
  /** JSON of the template's values; they may hold a link's secret. */
  fields: ColumnType<Record<string, string>, string, never>
  attempts: Generated<number>
  due_at: ColumnType<Date, Date | undefined, Date>
  expires_at: Date | null
  created_at: ColumnType<Date, Date | undefined, never>
}

export interface MailTables {
  mails: MailsTable
}
