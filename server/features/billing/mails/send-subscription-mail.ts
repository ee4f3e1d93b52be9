import { inLanguage, keptLanguage, type Texts } from '#contract/languages.ts'
import { moneyWords } from '#contract/money.ts'
import { dayWords } from '#server/i18n/day-words.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'

/** The mails to subscribers, and the page that each links to. */
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
  /** The user's language; the site's default if unknown. */
  language: string | null
  timeZone: string | null
  plan: { names: Texts; period_days: number }
  cents: number
  currency: string
  orderId: string
  /** The date in the mail: of the next renewal, the next attempt, or the end. */
  date: Date
}

/**
 * Mails a subscriber, in the transaction of the event. A deleted account has no address any more.
 * @param mailed a link with a secret that replaces the page, and its expiry
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
