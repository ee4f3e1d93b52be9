import '#web/i18n/balance.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { getBalance } from '#contract/balance.ts'
import type { Order } from '#contract/billing.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { useExpressOffer } from '#web/features/billing/express/use-express-offer.ts'
import { topUpChoice } from '#web/features/billing/payments/balance-copy.ts'
import { balanceQuery } from '#web/features/billing/payments/balance-queries.ts'
import { panelTerms } from '#web/features/billing/payments/accepted-terms.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { PayBar } from './PayBar.tsx'
import styles from './top-up-sheet.module.css'

interface TopUpSheetProps {
  /** The currency of the item that is to be paid from the balance. If omitted, top-ups in all currencies are shown. */
  currency?: string
  onClose: () => void
  onPaid: () => void
}

/** The top-ups on sale with their price, bonus and expiry, and the payment methods. */
export function TopUpSheet({ currency, onClose, onPaid }: TopUpSheetProps) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { data, isError, refetch } = useQuery(balanceQuery)
  const onTopUpPaid = (order?: Order) => {
    void queryClient.invalidateQueries({ queryKey: balanceQuery.queryKey })
    // Without an order the top-up has failed or is still pending, so only the balance is refetched.
    if (!order) return
    const { amount_cents, bonus_cents = 0 } = order
    notify(t('balance.toppedUp', { amount: money(amount_cents + bonus_cents, order.currency) }))
    onPaid()
    onClose()
  }
  const topUps = data?.top_ups.filter((topUp) => currency === undefined || topUp.currency === currency) ?? []
  return (
    <Sheet title={t('balance.topUp')} onClose={onClose}>
      <div className={styles.topUp}>
        {!data && isError && <LoadError onRetry={() => void refetch()} />}
        {!data && !isError && (
          <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
        )}
        {data && topUps.length === 0 && <p>{t('balance.noTopUps')}</p>}
        {data && topUps.length > 0 && <TopUpOptions {...data} top_ups={topUps} onPaid={onTopUpPaid} />}
      </div>
    </Sheet>
  )
}

interface TopUpOptionsProps extends ResultOf<typeof getBalance> {
  onPaid: (order?: Order) => void
}

function TopUpOptions({ balances, top_ups, gateways, saved_method, onPaid }: TopUpOptionsProps) {
  const { t } = useTranslation()
  const express = useExpressOffer({ gateways })
  const [chosen, setChosen] = useState(0)
  const choices = top_ups.map((topUp) => topUpChoice(t, topUp))
  const choice = choices[chosen] ?? choices[0]
  if (!choice) return null
  const balance = balances.find(({ currency }) => currency === choice.currency)
  return (
    <>
      <p>
        {balance && t('balance.current', { amount: money(balance.available_cents, balance.currency) })}{' '}
        {t('balance.topUpText')}
      </p>
      <fieldset className={styles.choices}>
        <legend className="hidden-text">{t('balance.topUp')}</legend>
        {choices.map((option, i) => (
          <label key={option.id} className={styles.option}>
            <input type="radio" name="top_up" checked={option === choice} onChange={() => setChosen(i)} />
            <span className={styles.name}>{option.name}</span>
            <span className={styles.text}>{option.text}</span>
          </label>
        ))}
      </fieldset>
      <PayBar
        className={styles.foot}
        sources={saved_method ? { saved_method } : {}}
        gateways={gateways}
        choices={choices}
        choice={choice}
        express={express}
        termsOf={(one) => panelTerms(t, one, true)}
        onPaid={onPaid}
      />
    </>
  )
}
