import { useId } from 'react'
import type { CardFields } from '#web/features/billing/payments/card-entry.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import type { FieldKind } from './stripe-script.ts'
import { useStripeFields } from './use-stripe-fields.ts'
import styles from './stripe-card.module.css'

/** Card number, expiry and CVV. The fields are frames of Stripe; their labels and messages belong to the site. */
export const StripeCard: CardFields = ({ onEntry }) => {
  const { t } = useTranslation()
  const id = useId()
  const { looks: fieldStates, failed, retry, setContainer } = useStripeFields(onEntry)
  if (failed) return <LoadError text={t('order.cardFailed')} onRetry={retry} />
  const field = (kind: FieldKind, label: string, message: string) => (
    <div className={styles.field} data-kind={kind}>
      <label htmlFor={id + kind}>{label}</label>
      <div
        id={id + kind}
        className={styles.box}
        data-bad={fieldStates[kind].invalid}
        data-focused={fieldStates[kind].focused}
        ref={(place) => setContainer(kind, place)}
      />
      <p className={styles.message} aria-live="polite">
        {fieldStates[kind].invalid ? message : ''}
      </p>
    </div>
  )
  return (
    <div className={styles.card} role="group" aria-label={t('order.cardTitle')}>
      {field('cardNumber', t('order.number'), t('order.numberInvalid'))}
      {field('cardExpiry', t('order.expiry'), t('order.expiryInvalid'))}
      {field('cardCvc', t('order.cvv'), t('order.cvvInvalid'))}
    </div>
  )
}
