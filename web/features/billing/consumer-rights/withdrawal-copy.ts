import type { Translate } from '#web/i18n/index.ts'
import { money } from '#web/lib/format-money.ts'

/**
 * Describes how much a withdrawal refunds. The amount is missing if everything was refunded before, or if a disputed
 * payment is held by the bank.
 */
export function withdrawalText(
  t: Translate,
  { amount_cents, currency }: { amount_cents?: number; currency?: string },
): string {
  if (!amount_cents || !currency) return t('emailLink.withdrawDoneNothing')
  return t('emailLink.withdrawDoneText', { amount: money(amount_cents, currency) })
}
