import '#web/i18n/balance.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Balance } from '#contract/top-ups.ts'
import { TopUpSheet } from '#web/features/billing/paywall/TopUpSheet.tsx'
import { balanceQuery } from '#web/features/billing/payments/balance-queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { money } from '#web/lib/format-money.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { AutoUnlocks } from './AutoUnlocks.tsx'
import { Statement } from './Statement.tsx'
import { useRefundBalance } from './use-refund-balance.ts'
import styles from './balance-section.module.css'

interface BalanceSectionProps {
  /** Renders a section of the page. */
  renderSection: (title: string, content: ReactNode) => ReactNode
}

/** The balance in the member area: remaining and expiring amounts, history, top-ups, refund and auto-unlock. */
export function BalanceSection({ renderSection }: BalanceSectionProps) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { data, isError, refetch } = useQuery(balanceQuery)
  const [toppingUp, setToppingUp] = useState(false)
  const refetchAll = () => void queryClient.invalidateQueries()
  const refundable = data?.balances.filter(({ refundable_cents }) => refundable_cents > 0) ?? []
  return (
    <>
      {renderSection(
        t('balance.title'),
        <>
          {!data && isError && <LoadError onRetry={() => void refetch()} />}
          {!data && !isError && <div className={styles.skeleton} aria-busy />}
          {data && (
            <div className={styles.balance}>
              <div className={styles.amounts}>
                {data.balances.map((balance) => (
                  <Amounts key={balance.currency} balance={balance} />
                ))}
                {data.balances.length === 0 && <p>{t('balance.empty')}</p>}
                {!data.enabled && <p>{t('balance.unavailable')}</p>}
              </div>
              <div className={styles.buttons}>
                {data.top_ups.length > 0 && (
                  <Button variant="quiet" onClick={() => setToppingUp(true)}>
                    {t('balance.topUp')}
                  </Button>
                )}
                {refundable.length > 0 && <Refund balances={refundable} />}
              </div>
            </div>
          )}
          {data?.enabled && <AutoUnlocks list={data.auto_unlocks} />}
        </>,
      )}
      {renderSection(t('balance.statement'), <Statement />)}
      {toppingUp && <TopUpSheet onClose={() => setToppingUp(false)} onPaid={refetchAll} />}
    </>
  )
}

function Amounts({ balance }: { balance: Balance }) {
  const { t } = useTranslation()
  const { currency, available_cents, paid_cents, bonus_cents, bonus_expiring } = balance
  const amount = (cents: number) => money(cents, currency)
  return (
    <div>
      <h3>{t('balance.available', { amount: amount(available_cents) })}</h3>
      <p>
        {bonus_cents > 0
          ? t('balance.paidAndBonus', { paid: amount(paid_cents), bonus: amount(bonus_cents) })
          : t('balance.paidOnly')}{' '}
        {t('balance.paidNeverExpires')}{' '}
        {bonus_expiring &&
          t('balance.expires', {
            amount: amount(bonus_expiring.cents),
            date: formatLongDate(bonus_expiring.at),
          })}
      </p>
    </div>
  )
}

/** Shows how much is refunded and how much is forfeited. Refunds after a second press. */
function Refund({ balances }: { balances: Balance[] }) {
  const { t } = useTranslation()
  const [isConfirming, setIsConfirming] = useState(false)
  const { refund, busy } = useRefundBalance(() => setIsConfirming(false))
  const amount = balances.map(({ refundable_cents: cents, currency }) => money(cents, currency)).join(', ')
  return (
    <>
      <Button variant="quiet" onClick={() => setIsConfirming(true)}>
        {t('balance.refund')}
      </Button>
      {isConfirming && (
        <Sheet title={t('balance.refundTitle')} onClose={() => setIsConfirming(false)}>
          <div className={styles.ask}>
            <p>{t('balance.refundText', { amount })}</p>
            <Button wide disabled={busy} onClick={refund}>
              {t('balance.refundNow', { amount })}
            </Button>
          </div>
        </Sheet>
      )}
    </>
  )
}
