import type { ListedOrder } from '#contract/studio/orders.ts'
import { useTexts } from '#web/studio/texts.ts'
import styles from './money.module.css'

const looks: Partial<Record<ListedOrder['status'], string>> = {
  paid: styles.good,
  partially_refunded: styles.good,
  charged_back: styles.bad,
  failed: styles.bad,
}

/** How an order stands, in words. */
export function State({ status }: { status: ListedOrder['status'] }) {
  const { t } = useTexts()
  return <span className={`${styles.state} ${looks[status] ?? ''}`}>{t(`money.state.${status}`)}</span>
}
