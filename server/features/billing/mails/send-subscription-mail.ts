import { inLanguage, keptLanguage, type Texts } from '#contract/languages.ts'
import { moneyWords } from '#contract/money.ts'
import { dayWords } from '#server/i18n/day-words.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'

/** What a subscriber is told by mail, and the page where something can be done about it. */
const pages = {
  renewalFailed: '/my',
  renewalPending: '/my',
  renewalRefused: '/my',
  bankAsks: '/my',
  subscriptionEnded: '/shopping',
  subscriptionEndedPending: '/shopping',
  introEnds: '/my',
  yearlyRenews: '/my',
  priceRises: '/my',
  planCancelled: '/my',
  cancelLink: '/my',
} as const

interface Told {
  to: string
  /** The person's; the default where it is not known. */
  language: string | null
  timeZone: string | null
  plan: { names: Texts; period_days: number }
  cents: number
  currency: string
  orderId: string
  /** The day that the mail is about: the next renewal, the next try, or the end. */
  date: Date
}

/**
 * Mails a subscriber, in the transaction of what happened. A deleted account has no address any more.
 * @param mailed a link that holds a secret instead of the page, and when it is worth nothing any more
 */
export async function sendSubscriptionMail(
  tx: Tx,
  { publicUrl, languages }: Pick<BillingContext, 'publicUrl' | 'languages'>,
  template: keyof typeof pages,
  { to, language: known, timeZone, plan, cents, currency, orderId, date }: Told,
  mailed?: { link: string; expiresAt: Date },
): Promise<void> {
  if (to === '') return
  const language = keptLanguage(known, languages())
  const values = {
    link: mailed?.link ?? `${publicUrl}${pages[template]}`,
    plan: inLanguage(plan.names, language),
    days: String(plan.period_days),
    amount: moneyWords(cents, currency, language),
    date: dayWords(date, { language, timeZone }),
    order: orderId,
  }
  await queueMail(tx, {
    to,
    template,
    values,
    language,
    ...(mailed ? { expiresAt: mailed.expiresAt } : {}),
  })
}
