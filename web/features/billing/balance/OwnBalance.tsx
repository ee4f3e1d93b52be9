import '#web/i18n/balance.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Balance } from '#contract/top-ups.ts'
import { TopUpSheet } from '#web/features/billing/paywall/TopUpSheet.tsx'
import { balanceQuery } from '#web/features/billing/payments/balance-queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { longDate } from '#web/lib/format.ts'
import { money } from '#web/lib/money.ts'
import { Button } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { AutoUnlocks } from './AutoUnlocks.tsx'
import { Statement } from './Statement.tsx'
import { useRefundBalance } from './use-refund-balance.ts'
import styles from './own-balance.module.css'

interface OwnBalanceProps {
  /** Renders a section of the page. */
  around: (title: string, content: ReactNode) => ReactNode
}

/** The user's balance in the member area: amounts left and expiring, history, top-ups, refund and auto-unlock. */
export function OwnBalance({ around }: OwnBalanceProps) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { data, isError, refetch } = useQuery(balanceQuery)
  const [toppingUp, setToppingUp] = useState(false)
  const reread = () => void queryClient.invalidateQueries()
  const refundable = data?.balances.filter(({ refundable_cents }) => refundable_cents > 0) ?? []
  return (
    <>
      {around(
        t('balance.title'),
        <>
          {!data && isError && <CouldNotLoad onRetry={() => void refetch()} />}
          {!data && !isError && <div className={styles.skeleton} />}
          {data && (
            <div className={styles.balance}>
              <div className={styles.amounts}>
                {data.balances.map((balance) => (
                  <Amounts key={balance.currency} balance={balance} />
                ))}
                {data.balances.length === 0 && <p>{t('balance.empty')}</p>}
                {!data.on && <p>{t('balance.off')}</p>}
              </div>
              <div className={styles.buttons}>
                {data.top_ups.length > 0 && (
                  <Button onClick={() => setToppingUp(true)}>{t('balance.topUp')}</Button>
                )}
                {refundable.length > 0 && <Refund balances={refundable} />}
              </div>
            </div>
          )}
          {data?.on && <AutoUnlocks list={data.auto_unlocks} />}
        </>,
      )}
      {around(t('balance.statement'), <Statement />)}
      {toppingUp && <TopUpSheet onClose={() => setToppingUp(false)} onPaid={reread} />}
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
          ? t('balance.parts', { paid: amount(paid_cents), bonus: amount(bonus_cents) })
          : t('balance.paidOnly')}{' '}
        {t('balance.paidStays')}{' '}
        {bonus_expiring &&
          t('balance.expires', { amount: amount(bonus_expiring.cents), date: longDate(bonus_expiring.at) })}
      </p>
    </div>
  )
}

/** Shows how much is refunded and how much is lost, and refunds after a second press. */
function Refund({ balances }: { balances: Balance[] }) {
  const { t } = useTranslation()
  const [asked, setAsked] = useState(false)
  const { refund, busy } = useRefundBalance(() => setAsked(false))
  const amount = balances.map(({ refundable_cents: cents, currency }) => money(cents, currency)).join(', ')
  return (
    <>
      <Button look="quiet" onClick={() => setAsked(true)}>
        {t('balance.refund')}
      </Button>
      {asked && (
        <Sheet title={t('balance.refundTitle')} onClose={() => setAsked(false)}>
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
