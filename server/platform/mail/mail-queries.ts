import type { Expression, ExpressionBuilder, Kysely, Selectable, SqlBool, Transaction } from 'kysely'
import { deleteExpired } from '#server/platform/database/delete-expired.ts'
import type { PagePosition } from '#server/platform/database/prepared-page.ts'
import type { AbandonedMailsTable, MailTables, MailsTable } from './tables.ts'

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
    next_attempt_at?: Date
  },
): Promise<void> {
  await tx.insertInto('mails').values(mail).execute()
}

/** An SQL condition that is true while a mail is due; `$1` is the site's time. */
export const hasDueMails = 'EXISTS (SELECT FROM mails WHERE next_attempt_at <= $1)'

/** Claims due mails for this process until the time `until`; after that, another process may claim them. */
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
        .where('next_attempt_at', '<=', now)
        .orderBy('next_attempt_at')
        .orderBy('created_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('mails')
    .set((row) => ({ attempts: row('attempts', '+', 1), next_attempt_at: until }))
    .where('id', 'in', (mails) => mails.selectFrom('due').select('id'))
    .returning(['id', 'recipient', 'template', 'language', 'fields', 'attempts', 'expires_at', 'created_at'])
    .execute()
}

/** Deletes a sent mail, unless its claim expired and another process has claimed it. */
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
    .set({ next_attempt_at: due })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/** Deletes queued and abandoned mails to an address, compared without case (index `abandoned_mails_recipient`). */
export function deleteMailsTo(tx: Transaction<MailTables>, recipient: string): Promise<void> {
  return deleteMails(tx, (mail) =>
    mail(mail.fn('lower', ['recipient']), '=', mail.fn('lower', [mail.val(recipient)])),
  )
}

/** Deletes queued and abandoned mails about these orders, to any address (index `abandoned_mails_order`). */
export async function deleteMailsAbout(
  tx: Transaction<MailTables>,
  orderIds: readonly string[],
): Promise<void> {
  if (orderIds.length === 0) return
  await deleteMails(tx, (mail) => mail(mail.ref('fields', '->>').key('order'), 'in', orderIds))
}

async function deleteMails(
  tx: Transaction<MailTables>,
  condition: (mail: ExpressionBuilder<MailTables, keyof MailTables>) => Expression<SqlBool>,
): Promise<void> {
  await tx.deleteFrom('mails').where(condition).execute()
  await tx.deleteFrom('abandoned_mails').where(condition).execute()
}

const mailColumns = ['id', 'recipient', 'template', 'language', 'fields', 'expires_at', 'created_at'] as const

/** Moves a mail to the abandoned ones, unless its claim expired and another process has claimed it. */
export async function abandonMail(
  db: Kysely<MailTables>,
  { id, attempts }: Pick<MailRow, 'id' | 'attempts'>,
  { at, refused, reason }: { at: Date; refused: boolean; reason: string },
): Promise<void> {
  await db
    .with('gone', (mails) =>
      mails
        .deleteFrom('mails')
        .where('id', '=', id)
        .where('attempts', '=', attempts)
        .returning([...mailColumns, 'attempts']),
    )
    .insertInto('abandoned_mails')
    .columns([...mailColumns, 'attempts', 'abandoned_at', 'refused', 'reason'])
    .expression((mails) =>
      mails
        .selectFrom('gone')
        .select([...mailColumns, 'attempts'])
        .select((mail) => [
          mail.cast<Date>(mail.val(at), 'timestamptz').as('abandoned_at'),
          mail.cast<boolean>(mail.val(refused), 'boolean').as('refused'),
          mail.cast<string>(mail.val(reason), 'text').as('reason'),
        ]),
    )
    .execute()
}

/** Selects abandoned mails that have not expired, the latest first (index `abandoned_mails_at`). */
export function selectAbandonedMails(
  db: Kysely<MailTables>,
  now: Date,
  after: PagePosition | undefined,
  limit: number,
): Promise<Selectable<AbandonedMailsTable>[]> {
  let page = db
    .selectFrom('abandoned_mails')
    .selectAll()
    .where(isNotExpired(now))
    .orderBy('abandoned_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (after) {
    const { at, id } = after
    page = page.where((mail) => mail(mail.refTuple('abandoned_at', 'id'), '<', mail.tuple(new Date(at), id)))
  }
  return page.execute()
}

/**
 * Moves an abandoned mail back to the queue, as a new mail.
 * @returns the template of the mail; undefined if the mail does not exist or has expired
 */
export async function requeueMail(
  tx: Transaction<MailTables>,
  id: string,
  now: Date,
): Promise<{ template: string } | undefined> {
  const columns = [...mailColumns]
  return tx
    .with('gone', (mails) =>
      mails.deleteFrom('abandoned_mails').where('id', '=', id).where(isNotExpired(now)).returning(columns),
    )
    .insertInto('mails')
    .columns(columns)
    .expression((mails) => mails.selectFrom('gone').select(columns))
    .returning('template')
    .executeTakeFirst()
}

/** Deletes mails that were abandoned before a time or have expired. */
export async function deleteAbandonedMails(db: Kysely<MailTables>, now: Date, before: Date): Promise<void> {
  await deleteExpired(db, { table: 'abandoned_mails', time: 'abandoned_at', before })
  await deleteExpired(db, { table: 'abandoned_mails', time: 'expires_at', before: now })
}

const isNotExpired = (now: Date) => (mail: ExpressionBuilder<MailTables, 'abandoned_mails'>) =>
  mail.or([mail('expires_at', 'is', null), mail('expires_at', '>', now)])
