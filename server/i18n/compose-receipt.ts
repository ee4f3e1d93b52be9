import { bcp47Tags, type Language } from '#contract/languages.ts'
import type { ComposedMail, MailTexts } from './mail-texts.ts'
import { formatLabelled, addPeriodTexts } from './format-period.ts'
import { escapeHtml, interpolate, renderMailPage, paragraph, styles } from './mail-page.ts'

/** What a receipt says; money and days as the language writes them, empty what does not apply. */
export interface ReceiptValues {
  order: string
  kind: 'plan' | 'episode' | 'video' | 'top_up'
  /** Of the video, for an episode or a whole video; of the episode its number. */
  title: string
  number: string
  /** A plan's name and length. */
  plan: string
  days: string
  date: string
  until: string
  net: string
  tax: string
  rate: string
  total: string
  /** Of a purchase from the balance, what bonus money paid. */
  discount: string
  seller: string
  address: string
  taxNumber: string
  /** Not empty where a plan goes on. */
  renewed: string
  /** When the plan is charged next, what and for how many days. */
  renewsOn: string
  renewPrice: string
  renewDays: string
  withdrawUntil: string
  /** Not empty where the right to withdraw was given up. */
  atOnce: string
  /** Where to go: the area, and with a secret to cancel, to withdraw and to take a guest's purchase into an account. */
  area: string
  cancel: string
  withdraw: string
  claim: string
}

type Line = [name: string, value: string]

/**
 * The receipt of one order: what was bought, from whom, the tax to the cent, what it will cost when it renews, and how to
 * get out of it (billing.md, "What a viewer is owed").
 */
export function composeReceipt(
  site: string,
  language: Language,
  { receipt: words, ...texts }: Pick<MailTexts, 'receipt' | 'greeting' | 'copyLink' | 'footer'>,
  values: Record<string, string>,
): ComposedMail {
  const said = (name: keyof ReceiptValues) => interpolate(`{{${name}}}`, values)
  const all = addPeriodTexts(values, language)
  const fill = (text: string) => interpolate(text, all)
  const kind = said('kind')
  const purchase = fill(describePurchase(kind, words))
  const subject = said('renewed') ? words.renewed : interpolate(words.subject, { bought: purchase })
  const lines: Line[] = [
    [words.order, said('order')],
    [words.date, said('date')],
    [words.what, purchase],
    [words.until, said('until')],
    // A receipt that an earlier release queued has none.
    [words.discount, values['discount'] ?? ''],
    [words.net, said('net')],
    [fill(words.tax), said('tax')],
    [words.total, said('total')],
    [words.seller, [said('seller'), said('address')].filter(Boolean).join(', ')],
    [words.taxNumber, said('taxNumber')],
  ].filter((line): line is Line => line[1] !== '')
  const after: (string | Line)[] = [
    ...(said('until') ? [said('renewsOn') ? fill(words.renews) : words.ends] : []),
    ...(said('cancel') ? [[words.howToCancel, said('cancel')] satisfies Line] : []),
    ...(said('withdrawUntil')
      ? [[fill(kind === 'top_up' ? words.withdrawTopUp : words.withdraw), said('withdraw')] satisfies Line]
      : []),
    ...(said('atOnce') ? [words.atOnce] : []),
  ]
  const claim = said('claim')
  const link = claim || said('area')
  const button = claim ? words.claimButton : words.button
  const footer = texts.footer.replace('{{site}}', () => site)
  const text = [
    texts.greeting,
    words.thanks,
    lines.map(([name, value]) => formatLabelled(name, language, value)).join('\n'),
    ...(claim ? [words.claim] : []),
    formatLabelled(button, language, `\n${link}`),
    ...after.map((part) => (typeof part === 'string' ? part : part.join('\n'))),
    `-- \n${footer}`,
  ].join('\n\n')
  const body = [
    ...[texts.greeting, words.thanks].map((line) => paragraph(escapeHtml(line))),
    table(lines),
    ...(claim ? [paragraph(escapeHtml(words.claim))] : []),
    paragraph(`<a href="${escapeHtml(link)}" style="${styles.button}">${escapeHtml(button)}</a>`),
    ...after.map((part) => paragraph(typeof part === 'string' ? escapeHtml(part) : withLink(part))),
    `<p style="${styles.small}">${escapeHtml(texts.copyLink)}<br>${escapeHtml(link)}</p>`,
    `<p style="${styles.small}">${escapeHtml(footer)}</p>`,
  ]
  const lang = bcp47Tags[language]
  return {
    lang,
    subject,
    text: `${text}\n`,
    html: renderMailPage(site, lang, subject, body.join('\n')),
    link,
  }
}

function describePurchase(kind: string, words: MailTexts['receipt']): string {
  if (kind === 'top_up') return words.topUp
  return kind === 'plan' || kind === 'episode' ? words[kind] : words.video
}

function table(lines: Line[]): string {
  const rows = lines.map(
    ([name, value]) =>
      `<tr><th scope="row" style="${styles.line}">${escapeHtml(name)}</th><td style="${styles.amount}">${escapeHtml(value)}</td></tr>`,
  )
  return `<table style="${styles.table}">\n${rows.join('\n')}\n</table>`
}

const withLink = ([words, link]: Line) =>
  `${escapeHtml(words)}<br><a href="${escapeHtml(link)}" style="${styles.address}">${escapeHtml(link)}</a>`
