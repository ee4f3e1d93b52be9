import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import type { MailTemplate } from '#server/i18n/mail-texts.ts'
import type { Clock } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import type { Log } from '#server/platform/log.ts'
import { maxConnections, MailError, type Mailer, type Message } from './mailer.ts'
import { purgeAbandonedMails } from './abandoned-mails.ts'
import {
  hasDueMails,
  claimMails,
  deleteMail,
  deleteMailsAbout,
  deleteMailsTo,
  abandonMail,
  insertMail,
  postponeMail,
  type MailRow,
} from './mail-queries.ts'
import type { MailTables } from './tables.ts'

/** A rendered mail template. */
export type RenderedMail = Pick<
  Message,
  'lang' | 'subject' | 'text' | 'html' | 'link' | 'replyTo' | 'unsubscribe'
>

export interface MailContext {
  db: Kysely<MailTables>
  clock: Clock
  log: Log
  mailer: Mailer
  /** @throws Error for an unknown template */
  composeMail(template: string, language: string, values: Record<string, string>): RenderedMail
}

/** Delays between attempts, in seconds: a mail is abandoned about a day after the first attempt. */
const waits = [10, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200]
/**
 * Time for which a process claims a mail: longer than the mailer takes to send it. If the process dies, its mails stay
 * claimed for this long.
 */
const claimMs = 120_000
/** While mails are being sent, others are claimed at least this often. */
const claimEveryMs = 1000
const longestReason = 300

/** Returns the mail jobs. A mail is sent within a second of its commit. The scheduled runs are for retries. */
export function mailJobs(context: MailContext) {
  const run = (signal: AbortSignal) => sendMails(context, signal)
  return [
    { name: 'send-mails', everySeconds: 10, dueWhen: hasDueMails, wakeOn: 'mails', run },
    { name: 'purge-abandoned-mails', everySeconds: 600, run: () => purgeAbandonedMails(context) },
  ]
}

/** Queues a mail in the caller's transaction: it is sent only if the transaction commits. */
export async function queueMail(
  tx: Transaction<MailTables>,
  mail: {
    to: string
    template: MailTemplate
    values: Record<string, string>
    language: string
    /** The expiry of the mail's link. The mail is not sent after this time. */
    expiresAt?: Date
    /** The earliest time to send it. Bulk mails set it, so that they do not delay other mails. */
    sendAt?: Date
  },
): Promise<void> {
  const { to, template, language, expiresAt, sendAt } = mail
  const fields = JSON.stringify(mail.values)
  const times = { expires_at: expiresAt ?? null, ...(sendAt ? { next_attempt_at: sendAt } : {}) }
  await insertMail(tx, { id: newId('mail'), recipient: to, template, language, fields, ...times })
}

/** Cancels queued and abandoned mails to the address of a deleted account. */
export function cancelMails(tx: Transaction<MailTables>, to: string): Promise<void> {
  return deleteMailsTo(tx, to)
}

/**
 * Cancels queued and abandoned mails about a user's orders. Mails are not cancelled by address, because an order's
 * address is unverified: other mails to it may belong to another user.
 */
export function cancelMailsAbout(tx: Transaction<MailTables>, orderIds: readonly string[]): Promise<void> {
  return deleteMailsAbout(tx, orderIds)
}

/**
 * Sends due mails, in any number of processes at once. A mail is claimed, sent, then deleted: if the process dies in
 * between, another process sends it after the claim expires, with the same Message-ID. Each free connection is used for
 * the next mail, even if that was queued meanwhile. So a slow mail delays no other. After an abort, no more mails are
 * claimed.
 */
export async function sendMails(context: MailContext, signal?: AbortSignal): Promise<void> {
  const { db, clock } = context
  const sending = new Map<string, Promise<void>>()
  try {
    for (;;) {
      const now = clock.now()
      const mails = signal?.aborted
        ? []
        : await claimMails(db, now, new Date(now.getTime() + claimMs), maxConnections - sending.size)
      for (const mail of mails)
        // If `sendMail` rejects, its promise stays in the map, so that the next race throws the error.
        sending.set(
          mail.id,
          sendMail(context, mail).then(() => void sending.delete(mail.id)),
        )
      if (sending.size === 0) return
      await Promise.race([...sending.values(), delay(claimEveryMs)])
    }
  } finally {
    await Promise.allSettled(sending.values())
  }
}

async function sendMail(context: MailContext, mail: MailRow): Promise<void> {
  const { db, clock, log, mailer } = context
  const { id, template, attempts } = mail
  if (mail.expires_at && mail.expires_at <= clock.now()) {
    log.warn({ mail: id, template, attempts }, 'A mail expired before it could be sent')
    return deleteMail(db, mail)
  }
  try {
    await mailer.send(renderMessage(context, mail))
  } catch (error) {
    return retryOrAbandon(context, mail, error)
  }
  await deleteMail(db, mail)
}

function renderMessage({ composeMail }: MailContext, mail: MailRow): Message {
  const { id, template, language, fields, recipient: to, created_at: createdAt } = mail
  return { id, to, createdAt, ...composeMail(template, language, fields) }
}

/** Retries or abandons a mail that was not accepted. Neither the address nor the server's text is logged. */
async function retryOrAbandon({ db, clock, log }: MailContext, mail: MailRow, error: unknown): Promise<void> {
  const { id, template, attempts } = mail
  const reason = error instanceof MailError || !(error instanceof Error) ? String(error) : error.stack
  const wait = waits[attempts - 1]
  const refused = error instanceof MailError && error.isPermanent
  if (wait === undefined || refused) {
    log.error({ mail: id, template, attempts, reason }, 'A mail could not be sent and was abandoned')
    const [short = ''] = String(error).slice(0, longestReason).split('\n')
    return abandonMail(db, mail, { at: clock.now(), refused, reason: short })
  }
  log.warn({ mail: id, template, attempts, reason }, `A mail could not be sent; retry in ${wait} s`)
  await postponeMail(db, mail, new Date(clock.now().getTime() + wait * 1000))
}
