import type { Kysely, Transaction } from 'kysely'
import { dayMs, type Clock } from '#server/platform/clock.ts'
import { readPage, type Paging } from '#server/platform/read-page.ts'
import { deleteAbandonedMails, requeueMail, selectAbandonedMails } from './mail-queries.ts'
import type { MailTables } from './tables.ts'

/** An abandoned mail, with all its fields. */
export type AbandonedMailRow = Awaited<ReturnType<typeof selectAbandonedMails>>[number]

/** Time for which an abandoned mail can still be sent. */
const retentionMs = 7 * dayMs

/**
 * Lists abandoned mails that have not expired, the latest first. Their fields may contain a link's secret and must not
 * be shown.
 * @throws Fault invalidCursor
 */
export function listAbandonedMails(db: Kysely<MailTables>, { now }: Clock, paging: Paging) {
  return readPage(
    'abandoned mails',
    paging,
    (after, limit) => selectAbandonedMails(db, now(), after, limit),
    (row) => [row.abandoned_at, row.id],
  )
}

/**
 * Requeues an abandoned mail, with the full number of attempts.
 * @returns its template, or undefined if there is no such mail
 */
export function retryMail(
  tx: Transaction<MailTables>,
  id: string,
  { now }: Clock,
): Promise<{ template: string } | undefined> {
  return requeueMail(tx, id, now())
}

/** Deletes abandoned mails after a week, or once they have expired. */
export function purgeAbandonedMails({ db, clock }: { db: Kysely<MailTables>; clock: Clock }): Promise<void> {
  const now = clock.now()
  return deleteAbandonedMails(db, now, new Date(now.getTime() - retentionMs))
}
