import type { Kysely, Selectable, Transaction } from 'kysely'
import type { MailTables, MailsTable } from './tables.ts'

export type MailRow = Pick<
  Selectable<MailsTable>,
  'id' | 'recipient' | 'template' | 'language' | 'fields' | 'attempts' | 'expires_at' | 'created_at'
>

export async function insertMail(
  tx: Transaction<MailTables>,
  mail: {
    id: string
    recipient: string
    template: string
    language: string
    fields: string
    expires_at: Date | null
  },
): Promise<void> {
  await tx.insertInto('mails').values(mail).execute()
}

/** Takes mails whose time has come, for as long as `until`: no other process takes them before that. */
export function claimMails(
  db: Kysely<MailTables>,
  now: Date,
  until: Date,
  limit: number,
): Promise<MailRow[]> {
  return db
    .with('due', (mails) =>
      mails
        .selectFrom('mails')
        .select('id')
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('created_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('mails')
    .set((row) => ({ attempts: row('attempts', '+', 1), due_at: until }))
    .where('id', 'in', (mails) => mails.selectFrom('due').select('id'))
    .returning(['id', 'recipient', 'template', 'language', 'fields', 'attempts', 'expires_at', 'created_at'])
    .execute()
}

/** Ends a mail, unless its claim ran out and another process has it by now. */
export async function deleteMail(
  db: Kysely<MailTables>,
  { id, attempts }: Pick<MailRow, 'id' | 'attempts'>,
): Promise<void> {
  await db.deleteFrom('mails').where('id', '=', id).where('attempts', '=', attempts).execute()
}

export async function postponeMail(
  db: Kysely<MailTables>,
  { id, attempts }: Pick<MailRow, 'id' | 'attempts'>,
  due: Date,
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ due_at: due })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/** Forgets what waits for an address, for whose person is leaving. */
export async function deleteMailsTo(tx: Transaction<MailTables>, recipient: string): Promise<void> {
  await tx.deleteFrom('mails').where('recipient', '=', recipient).execute()
}
