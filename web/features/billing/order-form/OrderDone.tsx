import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Order } from '#contract/billing.ts'
import styles from '#web/features/billing/payments/order-page.module.css'

/** Stands for the moment until the page around it goes on. */
export function OrderDone({ order }: { order: Order }) {
  const { t } = useTranslation()
  return (
    <p className={styles.nothing} role="status">
      {order.status === 'paid' ? t('order.paid') : t('order.working')}
    </p>
  )
}
