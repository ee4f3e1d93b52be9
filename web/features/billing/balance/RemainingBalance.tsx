import '#web/i18n/balance.ts'
import type { ReactNode } from 'react'
import type { RemainingBalance as RemainingAmount } from '#contract/top-ups.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { money } from '#web/lib/format-money.ts'
import { Button } from '#web/ui/Button.tsx'
import { useRefundBalance } from './use-refund-balance.ts'
import styles from './balance-section.module.css'

interface RemainingBalanceProps {
  /** The remaining money, one entry per currency. */
  balances: RemainingAmount[]
  /** Renders a control with this label, by which the user agrees to forfeit the money. */
  renderForfeitButton: (label: string) => ReactNode
  onRefunded: () => void
}

/**
 * Shown before an account with paid money is deleted. Offers a refund of the refundable part. Below that offer, the
 * user can agree to forfeit the money.
 */
export function RemainingBalance({ balances, renderForfeitButton, onRefunded }: RemainingBalanceProps) {
  const { t } = useTranslation()
  const { refund, busy } = useRefundBalance(onRefunded)
  const amount = balances.map(({ amount_cents, currency }) => money(amount_cents, currency)).join(', ')
  const refundable = balances
    .filter(({ refundable_cents }) => refundable_cents > 0)
    .map(({ refundable_cents, currency }) => money(refundable_cents, currency))
    .join(', ')
  return (
    <div className={styles.ask} role="group" aria-label={t('balance.title')}>
      <p>
        <strong>{t('balance.remaining', { amount })}</strong> {refundable && t('balance.remainingText')}
      </p>
      {refundable && (
        <>
          <p>{t('balance.refundText', { amount: refundable })}</p>
          <Button disabled={busy} onClick={refund}>
            {t('balance.refundNow', { amount: refundable })}
          </Button>
        </>
      )}
      {renderForfeitButton(t('balance.forfeit', { amount }))}
    </div>
  )
}
