import type { ListedOrder } from '#contract/studio/orders.ts'
import { useTexts } from '#web/studio/texts.ts'
import { formatTime } from '#web/studio/format.ts'
import styles from './payments.module.css'

const stateStyles: Partial<Record<ListedOrder['status'], string>> = {
  paid: styles.good,
  partially_refunded: styles.good,
  charged_back: styles.bad,
  failed: styles.bad,
}

/** The status of an order. For a failed renewal, also shows the time of the next retry. */
export function OrderState({ order: { status, past_due, retry_at } }: { order: ListedOrder }) {
  const { t, language } = useTexts()
  if (!past_due)
    return (
      <span className={`${styles.state} ${stateStyles[status] ?? ''}`}>{t(`payments.state.${status}`)}</span>
    )
  const next = retry_at
    ? t('payments.nextAttempt', { time: formatTime(retry_at, language) })
    : t('payments.noNextAttempt')
  return (
    <>
      <span className={`${styles.state} ${styles.bad}`}>{t('payments.pastDue')}</span>
      <span className={styles.note}>{next}</span>
    </>
  )
}
