import { useTranslation } from '#web/i18n/use-translation.ts'
import { Field } from '#web/ui/forms/Field.tsx'
import type { CardEntry, CardFields } from '#web/features/billing/payments/card-entry.ts'
import type { useBillingDetails } from '#web/features/billing/payments/use-billing-details.ts'
import type { Problem } from '#web/features/billing/payments/use-payment-steps.ts'
import styles from '#web/features/billing/payments/order-page.module.css'

interface CardSectionProps {
  /** The gateway's card fields. */
  Card: CardFields
  details: ReturnType<typeof useBillingDetails>
  problem: Problem | null
  onEntry: (entry: CardEntry | null) => void
}

/** The site's fields for the cardholder's name, and the gateway's fields for the card. */
export function CardSection({ Card, details, problem, onEntry }: CardSectionProps) {
  const { t } = useTranslation()
  return (
    <>
      <div className={styles.names}>
        <Field
          {...details.field('first')}
          label={t('order.firstName')}
          refusal={problem?.field === 'first_name' ? problem.message : ''}
          autoComplete="given-name"
        />
        <Field
          {...details.field('last')}
          label={t('order.lastName')}
          refusal={problem?.field === 'last_name' ? problem.message : ''}
          autoComplete="family-name"
        />
      </div>
      <Card onEntry={onEntry} />
    </>
  )
}
