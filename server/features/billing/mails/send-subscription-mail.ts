import { textInLanguage, storedLanguageOrDefault, type LocalizedText } from '#contract/languages.ts'
import { formatMoney } from '#contract/money.ts'
import { formatDay } from '#server/i18n/format-day.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'

/** The mails to subscribers, each with the page that it links to. */
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

interface SubscriptionMail {
  to: string
  /** The user's language. The site's default is used if it is unknown. */
  language: string | null
  timeZone: string | null
  plan: { names: LocalizedText; period_days: number }
  cents: number
  currency: string
  orderId: string
  /** The date in the mail: of the next renewal, of the next retry, or of the end of the subscription. */
  date: Date
}

/**
 * Sends a mail to a subscriber, in the transaction of the event. Sends nothing if the account was deleted, because
 * there is no e-mail address.
 * @param secretLink replaces the link to the page by a link with a secret and an expiry
 */
export async function sendSubscriptionMail(
  tx: Tx,
  { publicUrl, languages }: Pick<BillingContext, 'publicUrl' | 'languages'>,
  template: keyof typeof pages,
  { to, language: storedLanguage, timeZone, plan, cents, currency, orderId, date }: SubscriptionMail,
  secretLink?: { link: string; expiresAt: Date },
): Promise<void> {
  if (to === '') return
  const language = storedLanguageOrDefault(storedLanguage, languages())
  const values = {
    link: secretLink?.link ?? `${publicUrl}${pages[template]}`,
    plan: textInLanguage(plan.names, language),
    days: String(plan.period_days),
    amount: formatMoney(cents, currency, language),
    date: formatDay(date, { language, timeZone }),
    order: orderId,
  }
  await queueMail(tx, {
    to,
    template,
    values,
    language,
    ...(secretLink ? { expiresAt: secretLink.expiresAt } : {}),
  })
}
