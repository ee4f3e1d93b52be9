import { constants, mkdirSync } from 'node:fs'
import { access, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SendMailOptions } from 'nodemailer'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log.ts'

/** A mail as it leaves. */
export interface Message {
  /** The same at every try: it becomes the Message-ID, by which a receiver knows a mail that came twice. */
  id: string
  createdAt: Date
  to: string
  /** BCP 47. */
  lang: string
  subject: string
  text: string
  html: string
  /** What the mail's button opens, if it has one. */
  link: string | undefined
  /** Who gets the answer, where that is not the sender. */
  replyTo?: { name: string; address: string }
  /** Where mail programs end such mails by one POST (RFC 8058), of mails that one can end. */
  unsubscribe?: string
}

export interface Mailer {
  /**
   * Hands a mail over; it comes back within a minute.
   * @throws MailError if the mail was not accepted, or that is unknown
   */
  send(message: Message): Promise<void>
  /**
   * Whether mails could be sent: asks the server, without a mail.
   * @throws MailError if the server refuses us or cannot be reached; Error if the folder cannot be written
   */
  check(): Promise<void>
}

/** Why a mail was not taken, without anything that the server said: its words repeat the address. */
export class MailError extends Error {
  /** The server rejected this mail or recipient permanently: a retry is useless. */
  readonly final: boolean

  constructor(reason: string, final: boolean) {
    super(reason)
    this.name = 'MailError'
    this.final = final
  }
}

const timeouts = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
}
/** For the whole of one mail, however slowly the server drips. */
const deadlineMs = 45_000

/** Large, and only the process that sends mails needs it. */
const loadNodemailer = () => import('nodemailer')

/** Sends through SMTP_URL, with the sender that `from` returns at that time; without SMTP_URL, writes mails as files to DATA_DIR/mails. */
export function openMailer(config: Config, log: Log, from = () => config.mail.from): Mailer {
  const { smtpUrl } = config.mail
  return smtpUrl === undefined ? fileMailer(config, log, from) : smtpMailer(smtpUrl, from)
}

/** A mailer that opens a connection for each mail. `deadline` is for tests. */
export function smtpMailer(smtpUrl: string, from: () => string, deadline = deadlineMs): Mailer {
  return {
    async send(message) {
      const { createTransport } = await loadNodemailer()
      const transport = createTransport({ ...timeouts, pool: false, url: smtpUrl })
      const signal = AbortSignal.timeout(deadline)
      await transport.sendMail({ ...compose(message, from()), signal }).catch((error: unknown) => {
        throw explain(error)
      })
    },
    async check() {
      const { createTransport } = await loadNodemailer()
      const transport = createTransport({ ...timeouts, pool: false, url: smtpUrl })
      await transport.verify().catch((error: unknown) => {
        throw explain(error)
      })
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
      const { message: bytes } = await transport.sendMail(compose(message, from()))
      const time = message.createdAt.toISOString().replaceAll(/[:.]/g, '-')
      const path = join(folder, `${time}-${message.id}.eml`)
      await writeFile(`${path}.part`, bytes as Buffer, { mode: 0o600 })
      await rename(`${path}.part`, path)
      // On a developer's machine the log is where the link is looked for; elsewhere it is a secret.
      const link = production || message.link === undefined ? '' : `: ${message.link}`
      log.info(`SMTP_URL is not set: a mail lies in ${path}${link}`)
    },
    async check() {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      await access(folder, constants.W_OK)
    },
  }
}

function compose(message: Message, from: string): SendMailOptions {
  const { id, createdAt, to, lang, subject, text, html, replyTo, unsubscribe } = message
  return {
    from,
    // An address as it is: as a text it could be read as several.
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

/** The address of a sender such as `Cliffhanger <hello@drama.example>`. */
export function addressOf(from: string): string {
  return /<([^<>]*)>\s*$/.exec(from)?.[1] ?? from
}

/** The commands whose 5xx concerns this mail; elsewhere (greeting, sign-in, sender) it concerns the configuration, which can be fixed. */
const aboutTheMail = new Set(['RCPT TO', 'DATA'])

function explain(error: unknown): MailError {
  const { code, responseCode, command } = Object(error) as Record<string, unknown>
  const final = Number(responseCode) >= 500 && aboutTheMail.has(String(command))
  return new MailError([code, command, responseCode].filter(Boolean).join(' ') || 'unknown', final)
}
