import type { Kysely, Transaction } from 'kysely'
import type { MailTemplate } from '#server/i18n/mail-texts.ts'
import type { Clock } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import type { Log } from '#server/platform/log.ts'
import { MailError, type Mailer, type Message } from './mailer.ts'
import { purgeAbandonedMails } from './abandoned-mails.ts'
import {
  anyDueMails,
  claimMails,
  deleteMail,
  deleteMailsAbout,
  deleteMailsTo,
  giveUpMail,
  insertMail,
  postponeMail,
  type MailRow,
} from './queries.ts'
import type { MailTables } from './tables.ts'

/** What a template makes of its values. */
export type Composed = Pick<
  Message,
  'lang' | 'subject' | 'text' | 'html' | 'link' | 'replyTo' | 'unsubscribe'
>

export interface MailContext {
  db: Kysely<MailTables>
  clock: Clock
  log: Log
  mailer: Mailer
  /** @throws Error for a template that there is not */
  composeMail(template: string, language: string, values: Record<string, string>): Composed
}

/** Tries after a failed one, in seconds: a mail is given up about a day after the first. */
const waits = [10, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200]
/** Longer than the mailer takes for one mail; a process that died in between keeps a mail for so long. */
const claimMs = 120_000
const atOnce = 5
const longestReason = 300

/** A mail leaves within a second of its commit; the clock finds those whose next try has come. */
export function mailJobs(context: MailContext) {
  const run = (signal: AbortSignal) => sendMails(context, signal)
  return [
    { name: 'send-mails', everySeconds: 5, dueWhen: anyDueMails, wakeOn: 'mails', run },
    { name: 'purge-abandoned-mails', everySeconds: 600, run: () => purgeAbandonedMails(context) },
  ]
}

/** Puts a mail into the queue, in the caller's transaction: it leaves if that commits. */
export async function queueMail(
  tx: Transaction<MailTables>,
  mail: {
    to: string
    template: MailTemplate
    values: Record<string, string>
    language: string
    /** When the mail is of no use any more: its link is dead by then. */
    expiresAt?: Date
    /** From when it is sent, after those that are sent at once: for what many people get. */
    dueAt?: Date
  },
): Promise<void> {
  const { to, template, language, expiresAt, dueAt } = mail
  const fields = JSON.stringify(mail.values)
  const times = { expires_at: expiresAt ?? null, ...(dueAt ? { due_at: dueAt } : {}) }
  await insertMail(tx, { id: newId('mail'), recipient: to, template, language, fields, ...times })
}

/** Leaves unsent what waits for an address, or was given up: its person is gone. */
export function cancelMails(tx: Transaction<MailTables>, to: string): Promise<void> {
  return deleteMailsTo(tx, to)
}

/**
 * Leaves unsent what waits about somebody's orders, or was given up. Nobody has proven that the address of an order is theirs, so
 * what waits there for other reasons may be another person's.
 */
export function cancelMailsAbout(tx: Transaction<MailTables>, orderIds: readonly string[]): Promise<void> {
  return deleteMailsAbout(tx, orderIds)
}

/**
 * Sends what waits, in any number of processes at once. A mail is claimed, sent, then deleted: killed in between, it is sent
 * by another process once the claim has run out, with the same Message-ID. Aborted, it takes no more.
 */
export async function sendMails(context: MailContext, signal?: AbortSignal): Promise<void> {
  const { db, clock } = context
  while (!signal?.aborted) {
    const now = clock.now()
    const mails = await claimMails(db, now, new Date(now.getTime() + claimMs), atOnce)
    if (mails.length === 0) return
    await Promise.all(mails.map((mail) => sendOne(context, mail)))
  }
}

async function sendOne(context: MailContext, mail: MailRow): Promise<void> {
  const { db, clock, log, mailer } = context
  const { id, template, attempts } = mail
  if (mail.expires_at && mail.expires_at <= clock.now()) {
    log.warn({ mail: id, template, attempts }, 'A mail was not sent in time and is of no use any more')
    return deleteMail(db, mail)
  }
  try {
    await mailer.send(compose(context, mail))
  } catch (error) {
    return failed(context, mail, error)
  }
  await deleteMail(db, mail)
}

function compose({ composeMail }: MailContext, mail: MailRow): Message {
  const { id, template, language, fields, recipient: to, created_at: createdAt } = mail
  return { id, to, createdAt, ...composeMail(template, language, fields) }
}

/** Decides what becomes of a mail that was not taken. Neither the address nor what the server said of it is logged. */
async function failed({ db, clock, log }: MailContext, mail: MailRow, error: unknown): Promise<void> {
  const { id, template, attempts } = mail
  const reason = error instanceof MailError || !(error instanceof Error) ? String(error) : error.stack
  const wait = waits[attempts - 1]
  const refused = error instanceof MailError && error.final
  if (wait === undefined || refused) {
    log.error({ mail: id, template, attempts, reason }, 'A mail could not be sent and was given up')
    const [short = ''] = String(error).slice(0, longestReason).split('\n')
    return giveUpMail(db, mail, { at: clock.now(), refused, reason: short })
  }
  log.warn({ mail: id, template, attempts, reason }, `A mail could not be sent; another try in ${wait} s`)
  await postponeMail(db, mail, new Date(clock.now().getTime() + wait * 1000))
}
