import type { Kysely, Transaction } from 'kysely'
import { dayMs, type Clock } from '#server/platform/clock.ts'
import { readPage, type Paging } from '#server/platform/read-page.ts'
import { deleteAbandonedMails, requeueMail, selectAbandonedMails } from './queries.ts'
import type { MailTables } from './tables.ts'

/** A mail that was given up, with everything that it was to say. */
export type PutAsideMail = Awaited<ReturnType<typeof selectAbandonedMails>>[number]

/** So long a mail that was given up can be sent after all. */
const keptMs = 7 * dayMs

/**
 * Mails that were given up and are of use still, the latest first. Their fields may hold a link's secret: they are no one's to read.
 * @throws Fault badCursor
 */
export function listAbandonedMails(db: Kysely<MailTables>, { now }: Clock, paging: Paging) {
  return readPage(
    'given up mails',
    paging,
    (after, most) => selectAbandonedMails(db, now(), after, most),
    (row) => [row.abandoned_at, row.id],
  )
}

/** Requeues an undelivered mail with all its attempts. @returns what it is, or undefined if there is no such mail */
export function retryMail(
  tx: Transaction<MailTables>,
  id: string,
  { now }: Clock,
): Promise<{ template: string } | undefined> {
  return requeueMail(tx, id, now())
}

/** Forgets what was given up a week ago, or whose links are dead by now. */
export function purgeAbandonedMails({ db, clock }: { db: Kysely<MailTables>; clock: Clock }): Promise<void> {
  const now = clock.now()
  return deleteAbandonedMails(db, now, new Date(now.getTime() - keptMs))
}
