import { useTranslation } from '#web/i18n/use-translation.ts'
import type { CardFields } from '#web/features/billing/payments/card-entry.ts'
import { useCardFrame } from './use-card-frame.ts'
import styles from '#web/features/billing/payments/order-page.module.css'

/** The sandbox's card fields, in a frame. */
export const SandboxCard: CardFields = ({ onEntry }) => {
  const { t, i18n } = useTranslation()
  const { ref, height } = useCardFrame(onEntry)
  return (
    <iframe
      ref={ref}
      className={styles.card}
      style={{ height }}
      src={`/sandbox/card?lang=${i18n.language}`}
      title={t('order.cardTitle')}
    />
  )
}
