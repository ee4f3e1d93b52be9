import type { ColumnType, Generated } from 'kysely'

export interface MailsTable {
  id: string
  recipient: string
  template: string
  language: string
  /** JSON of the template's values, which may contain a link's secret. */
  fields: ColumnType<Record<string, string>, string, never>
  attempts: Generated<number>
  next_attempt_at: ColumnType<Date, Date | undefined, Date>
  expires_at: Date | null
  created_at: ColumnType<Date, Date | undefined, never>
}

/** An abandoned mail, with the reason. */
export interface AbandonedMailsTable extends Pick<
  MailsTable,
  'id' | 'recipient' | 'template' | 'language' | 'fields' | 'expires_at'
> {
  attempts: number
  created_at: Date
  abandoned_at: Date
  /** Whether the server rejected the mail permanently. */
  refused: boolean
  reason: string
}

export interface MailTables {
  mails: MailsTable
  abandoned_mails: AbandonedMailsTable
}
