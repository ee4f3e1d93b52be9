import { useTranslation } from '#web/i18n/use-translation.ts'
import { Field } from '#web/ui/Field.tsx'
import type { CardEntry, CardFields } from './card-entry.ts'
import type { usePerson } from './use-person.ts'
import type { Problem } from './use-steps.ts'
import styles from './order-page.module.css'

interface CardPartProps {
  /** The gateway's. */
  Card: CardFields
  person: ReturnType<typeof usePerson>
  problem: Problem | null
  onEntry: (entry: CardEntry | null) => void
}

/** Whose card it is, and the card: the name is asked for by us, the rest by the gateway. */
export function CardPart({ Card, person, problem, onEntry }: CardPartProps) {
  const { t } = useTranslation()
  return (
    <>
      <div className={styles.names}>
        <Field
          {...person.field('first')}
          label={t('order.first')}
          refusal={problem?.field === 'first_name' ? problem.message : ''}
          autoComplete="given-name"
        />
        <Field
          {...person.field('last')}
          label={t('order.last')}
          refusal={problem?.field === 'last_name' ? problem.message : ''}
          autoComplete="family-name"
        />
      </div>
      <Card onEntry={onEntry} />
    </>
  )
}
