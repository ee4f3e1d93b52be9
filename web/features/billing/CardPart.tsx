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

/** What went wrong, beneath the fields. */
export function ProblemNote({ problem }: { problem: Problem | null }) {
  return (
    problem && (
      <p className={styles.problem} role="alert" ref={showWhole}>
        {problem.message}
      </p>
    )
  )
}

/** The submit bar would lie over it in a low window. */
const showWhole = (problem: HTMLElement | null) => problem?.scrollIntoView({ block: 'nearest' })
