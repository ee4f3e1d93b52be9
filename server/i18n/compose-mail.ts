import {
  bcp47Tags,
  storedLanguageOrDefault,
  languages,
  type Language,
  type OfferedLanguages,
} from '#contract/languages.ts'
import { orderNumber } from '#contract/order-number.ts'
import { composeReceipt } from './compose-receipt.ts'
import { mailTexts, type ComposedMail } from './mail-texts.ts'
import { formatLabelled, addPeriodTexts } from './format-period.ts'
import { escapeHtml, interpolate, renderMailPage, paragraph, styles } from './mail-page.ts'

/**
 * Composes a mail as text and HTML, in English if the language is unknown. Except for messages to the operator, a mail
 * contains nothing that another person typed. Otherwise anyone could register with a stranger's address and decide what
 * the mail says.
 * @param site the name of the site
 * @throws Error for an unknown template or a missing value
 */
export function composeMail(
  site: string,
  template: string,
  language: string,
  rawValues: Record<string, string>,
): ComposedMail {
  // A queued mail contains the order's id, so that mails about an order can be found. The reader sees the order number.
  const values =
    rawValues['order'] === undefined ? rawValues : { ...rawValues, order: orderNumber(rawValues['order']) }
  const known = storedLanguageOrDefault(language)
  if (template === 'contact') return composeContact(site, known, values)
  if (template === 'receipt') return composeReceipt(site, known, mailTexts[known], values)
  const { greeting, copyLink, templates } = mailTexts[known]
  const footer = mailTexts[known].footer.replace('{{site}}', () => site)
  const mail = Object.entries(templates).find(([name]) => name === template)?.[1]
  const { link, unsubscribe } = values
  if (!mail || link === undefined) throw new Error(`There is no mail ${template}, or it has no link`)
  const all = addPeriodTexts(values, known)
  const fill = (words: string) => interpolate(words, all)
  const { button } = mail
  const [subject, before, after] = [fill(mail.subject), mail.before.map(fill), mail.after.map(fill)]
  const text = [
    greeting,
    ...before,
    formatLabelled(button, known, `\n${link}`),
    ...after,
    `-- \n${footer}`,
  ].join('\n\n')
  const body = [
    ...[greeting, ...before].map((line) => paragraph(escapeHtml(line))),
    paragraph(`<a href="${escapeHtml(link)}" style="${styles.button}">${escapeHtml(button)}</a>`),
    ...after.map((line) => paragraph(withLinks(escapeHtml(line)))),
    `<p style="${styles.small}">${escapeHtml(copyLink)}<br>${escapeHtml(link)}</p>`,
    `<p style="${styles.small}">${escapeHtml(footer)}</p>`,
  ]
  const lang = bcp47Tags[known]
  return {
    lang,
    subject,
    text: `${text}\n`,
    html: renderMailPage(site, lang, subject, body.join('\n')),
    link,
    ...(unsubscribe === undefined ? {} : { unsubscribe }),
  }
}

/** Turns a URL at the end of a line into a link. */
const withLinks = (html: string) => html.replace(/https?:\/\/\S+$/, (url) => `<a href="${url}">${url}</a>`)

/** Creates the mail composer of a site. It uses only the languages that the site offers. */
export const createMailComposer =
  (site: string, offered: () => OfferedLanguages = () => languages) =>
  (template: string, language: string, values: Record<string, string>): ComposedMail =>
    composeMail(site, template, storedLanguageOrDefault(language, offered()), values)

/** Composes a visitor's message to the operator. Replies are sent to the visitor. */
function composeContact(site: string, language: Language, values: Record<string, string>): ComposedMail {
  const { name = '', email = '', message = '' } = values
  const { subject, before, after } = mailTexts[language].contact
  // The name is part of a mail header, so it must be one line.
  const writer = name.replaceAll(/\s+/g, ' ')
  const lines = [before, `${writer} <${email}>`]
  const text = [...lines, message, `-- \n${after}`].join('\n\n')
  const body = [
    ...lines.map((line) => paragraph(escapeHtml(line))),
    `<p style="${styles.message}">${escapeHtml(message)}</p>`,
    `<p style="${styles.small}">${escapeHtml(after)}</p>`,
  ]
  const lang = bcp47Tags[language]
  return {
    lang,
    subject: formatLabelled(subject, language, writer),
    text: `${text}\n`,
    html: renderMailPage(site, lang, subject, body.join('\n')),
    link: undefined,
    replyTo: { name: writer, address: email },
  }
}
