import { bcp47Tags, type Language } from '#contract/languages.ts'
import type { ComposedMail, MailTexts } from './mail-texts.ts'
import { formatLabelled, addPeriodTexts } from './format-period.ts'
import { escapeHtml, interpolate, renderMailPage, paragraph, styles } from './mail-page.ts'

/**
 * The values of a receipt. Amounts and days are formatted in the receipt's language; a value that does not apply is
 * empty.
 */
export interface ReceiptValues {
  order: string
  kind: 'plan' | 'episode' | 'video' | 'top_up'
  /** The title of the video, for an episode or a whole video; `number` is the number of the episode. */
  title: string
  number: string
  /** The name of the plan; `days` is its period. */
  plan: string
  days: string
  date: string
  until: string
  net: string
  tax: string
  rate: string
  total: string
  /** For a purchase from the balance: the part that bonus money paid. */
  discount: string
  seller: string
  address: string
  taxNumber: string
  /** Not empty for the renewal of a plan. */
  renewed: string
  /** The next charge of the plan: day, price and period in days. */
  renewsOn: string
  renewPrice: string
  renewDays: string
  withdrawUntil: string
  /** Not empty if the customer waived the right of withdrawal by consenting to immediate delivery. */
  atOnce: string
  /** The URL of the member area. */
  area: string
  /** URLs that contain a secret: to cancel, to withdraw, and to add a guest's purchase to an account. */
  cancel: string
  withdraw: string
  claim: string
}

type Line = [name: string, value: string]

/**
 * Composes the receipt of an order: the purchase, the seller, the tax, the renewal price, and how to cancel or
 * withdraw.
 */
export function composeReceipt(
  site: string,
  language: Language,
  { receipt: words, ...texts }: Pick<MailTexts, 'receipt' | 'greeting' | 'copyLink' | 'footer'>,
  values: Record<string, string>,
): ComposedMail {
  const valueOf = (name: keyof ReceiptValues) => interpolate(`{{${name}}}`, values)
  const all = addPeriodTexts(values, language)
  const fill = (text: string) => interpolate(text, all)
  const kind = valueOf('kind')
  const purchase = fill(describePurchase(kind, words))
  const subject = valueOf('renewed') ? words.renewed : interpolate(words.subject, { bought: purchase })
  const lines = receiptLines(words, values, purchase)
  const after: (string | Line)[] = [
    ...(valueOf('until') ? [valueOf('renewsOn') ? fill(words.renews) : words.ends] : []),
    ...(valueOf('cancel') ? [[words.howToCancel, valueOf('cancel')] satisfies Line] : []),
    ...(valueOf('withdrawUntil')
      ? [[fill(kind === 'top_up' ? words.withdrawTopUp : words.withdraw), valueOf('withdraw')] satisfies Line]
      : []),
    ...(valueOf('atOnce') ? [words.atOnce] : []),
  ]
  const claim = valueOf('claim')
  const link = claim || valueOf('area')
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

/** Returns the lines of the receipt's table that apply to the order. */
function receiptLines(words: MailTexts['receipt'], values: Record<string, string>, purchase: string): Line[] {
  const valueOf = (name: keyof ReceiptValues) => interpolate(`{{${name}}}`, values)
  const lines: Line[] = [
    [words.order, valueOf('order')],
    [words.date, valueOf('date')],
    [words.what, purchase],
    [words.until, valueOf('until')],
    // A receipt that was queued by an earlier release has no `discount`.
    [words.discount, values['discount'] ?? ''],
    [words.net, valueOf('net')],
    [interpolate(words.tax, values), valueOf('tax')],
    [words.total, valueOf('total')],
    [words.seller, [valueOf('seller'), valueOf('address')].filter(Boolean).join(', ')],
    [words.taxNumber, valueOf('taxNumber')],
  ]
  return lines.filter(([, value]) => value !== '')
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
