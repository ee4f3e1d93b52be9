import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parsed parts of a mail. */
export interface ParsedMail {
  to: string
  from: string
  subject: string
  replyTo: string
  messageId: string
  /** Values of `List-Unsubscribe` and `List-Unsubscribe-Post`; empty if the headers are missing. */
  unsubscribe: [link: string, post: string]
  text: string
  html: string
  /** The first link in the text. */
  link: string
}

/** Parses a mail of the site, which has a text part and an HTML part. */
export function parseMail(raw: string): ParsedMail {
  const [head, body] = splitHeadAndBody(raw.replaceAll('\r\n', '\n'))
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? ''
  const parts = body.split(`--${boundary}`).map(readPart)
  const text = parts.find(({ type }) => type === 'text/plain')?.content ?? ''
  return {
    to: header(head, 'To'),
    from: header(head, 'From'),
    subject: decodeEncodedWords(header(head, 'Subject')),
    replyTo: decodeEncodedWords(header(head, 'Reply-To')),
    messageId: header(head, 'Message-ID'),
    unsubscribe: [header(head, 'List-Unsubscribe'), header(head, 'List-Unsubscribe-Post')],
    text,
    html: parts.find(({ type }) => type === 'text/html')?.content ?? '',
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
  }
}

/** Returns the mails in a folder, latest last. */
export function readMailFolder(folder: string): ParsedMail[] {
  if (!existsSync(folder)) return []
  // The name of a mail that is still being written ends with `.part`.
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .toSorted()
    .map((name) => parseMail(readFileSync(join(folder, name), 'utf8')))
}

function splitHeadAndBody(text: string): [string, string] {
  const end = text.indexOf('\n\n')
  return [text.slice(0, end), text.slice(end + 2)]
}

function header(head: string, name: string): string {
  const found = new RegExp(`^${name}:(?: |\\n[ \\t])(.*(?:\\n[ \\t].*)*)`, 'im').exec(head)?.[1] ?? ''
  return found.replaceAll(/\n[ \t]/g, ' ')
}

function readPart(part: string): { type: string; content: string } {
  const [head, body] = splitHeadAndBody(part.trimStart())
  const type = header(head, 'Content-Type').split(';')[0] ?? ''
  const encoding = header(head, 'Content-Transfer-Encoding')
  if (encoding === 'base64') return { type, content: Buffer.from(body, 'base64').toString() }
  return {
    type,
    content: encoding === 'quoted-printable' ? decodeQuotedPrintable(body.replaceAll('=\n', '')) : body,
  }
}

function decodeQuotedPrintable(text: string): string {
  return decodeURIComponent(text.replaceAll('%', '%25').replaceAll(/=([0-9A-F]{2})/g, '%$1'))
}

function decodeEncodedWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?(q|b)\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : decodeQuotedPrintable(word.replaceAll('_', ' ')),
    )
}
