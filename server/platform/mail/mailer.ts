import { constants, mkdirSync } from 'node:fs'
import { access, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SendMailOptions } from 'nodemailer'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log.ts'

/** A composed mail. */
export interface Message {
  /** The same for every attempt: it becomes the Message-ID, by which receiving servers detect duplicates. */
  id: string
  createdAt: Date
  to: string
  /** BCP 47. */
  lang: string
  subject: string
  text: string
  html: string
  /** The target of the mail's button, if it has one. */
  link: string | undefined
  /** The recipient of replies, if not the sender. */
  replyTo?: { name: string; address: string }
  /** The one-click unsubscribe URL (RFC 8058), for mails that have one. */
  unsubscribe?: string
}

export interface Mailer {
  /**
   * Sends a mail; settles within a minute.
   * @throws MailError if the mail was not accepted, or if that is unknown
   */
  send(message: Message): Promise<void>
  /**
   * Tests the connection to the server, without sending a mail.
   * @throws MailError if the server refuses the connection or cannot be reached; Error if the folder cannot be written
   */
  check(): Promise<void>
  /** Closes the connections to the server. A mail that is being sent is finished first. */
  close(): void
}

/** Thrown if a mail is not accepted. The message omits the server's text, which repeats the address. */
export class MailError extends Error {
  /** True if the server rejected this mail or recipient permanently: a retry is useless. */
  readonly isPermanent: boolean

  constructor(reason: string, isPermanent: boolean) {
    super(reason)
    this.name = 'MailError'
    this.isPermanent = isPermanent
  }
}

const timeouts = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
}
/** Time-out of one mail as a whole, however slowly the server responds. */
const deadlineMs = 45_000

/** Number of mails that a process sends at once, each over its own connection. */
export const maxConnections = 10
/**
 * Time for which a connection waits for the next mail. It is long enough for a burst of mails, and shorter than
 * `socketTimeout` and the time-outs of servers.
 */
const idleTimeoutMs = 10_000

/** Loaded on demand: it is large, and only the process that sends mails needs it. */
const loadNodemailer = () => import('nodemailer')

/**
 * Opens the mailer. It sends through SMTP_URL, with the sender that `from` returns for each mail. Without SMTP_URL, it
 * writes the mails as files to DATA_DIR/mails.
 */
export function openMailer(config: Config, log: Log, from = () => config.mail.from): Mailer {
  const { smtpUrl } = config.mail
  return smtpUrl === undefined ? fileMailer(config, log, from) : smtpMailer(smtpUrl, from)
}

/** Creates a mailer that sends all mails over one set of connections. `deadline` is for tests. */
export function smtpMailer(smtpUrl: string, from: () => string, deadline = deadlineMs): Mailer {
  const openPool = async () => {
    const { createTransport } = await loadNodemailer()
    return createTransport({
      ...timeouts,
      pool: true,
      maxConnections,
      idleTimeout: idleTimeoutMs,
      url: smtpUrl,
    })
  }
  let pool: ReturnType<typeof openPool> | undefined
  return {
    async send(message) {
      pool ??= openPool()
      const transport = await pool
      const signal = AbortSignal.timeout(deadline)
      await transport.sendMail({ ...toMailOptions(message, from()), signal }).catch((error: unknown) => {
        throw toMailError(error)
      })
    },
    async check() {
      const { createTransport } = await loadNodemailer()
      const transport = createTransport({ ...timeouts, pool: false, url: smtpUrl })
      await transport.verify().catch((error: unknown) => {
        throw toMailError(error)
      })
    },
    close() {
      void pool?.then((transport) => transport.close())
      pool = undefined
    },
  }
}

function fileMailer({ dataDir, production }: Config, log: Log, from: () => string): Mailer {
  const folder = join(dataDir, 'mails')
  return {
    async send(message) {
      const { createTransport } = await loadNodemailer()
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const { message: bytes } = await transport.sendMail(toMailOptions(message, from()))
      const time = message.createdAt.toISOString().replaceAll(/[:.]/g, '-')
      const path = join(folder, `${time}-${message.id}.eml`)
      await writeFile(`${path}.part`, bytes as Buffer, { mode: 0o600 })
      await rename(`${path}.part`, path)
      // Developers read the link in the log. In production, the link is a secret.
      const link = production || message.link === undefined ? '' : `: ${message.link}`
      log.info(`SMTP_URL is not set: a mail was written to ${path}${link}`)
    },
    async check() {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      await access(folder, constants.W_OK)
    },
    close() {},
  }
}

function toMailOptions(message: Message, from: string): SendMailOptions {
  const { id, createdAt, to, lang, subject, text, html, replyTo, unsubscribe } = message
  return {
    from,
    // As an object: a string could be parsed as several addresses.
    to: { name: '', address: to },
    ...(replyTo ? { replyTo } : {}),
    subject,
    text,
    html,
    date: createdAt,
    messageId: `<${id}@${/@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'}>`,
    headers: {
      'Content-Language': lang,
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribe === undefined ? {} : oneClick(unsubscribe)),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

const oneClick = (link: string) => ({
  'List-Unsubscribe': `<${link}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/** Returns the address of a sender such as `Cliffhanger <hello@drama.example>`. */
export function senderAddress(from: string): string {
  return /<([^<>]*)>\s*$/.exec(from)?.[1] ?? from
}

/**
 * SMTP commands whose 5xx response concerns this mail. A 5xx response to another command (greeting, sign-in, sender)
 * concerns the configuration, which can be fixed.
 */
const perMailCommands = new Set(['RCPT TO', 'DATA'])

function toMailError(error: unknown): MailError {
  const { code, responseCode, command } = Object(error) as Record<string, unknown>
  const isPermanent = Number(responseCode) >= 500 && perMailCommands.has(String(command))
  return new MailError([code, command, responseCode].filter(Boolean).join(' ') || 'unknown', isPermanent)
}
