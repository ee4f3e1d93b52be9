import type { FormEvent, ReactNode } from 'react'
import { BankCheck } from './BankCheck.tsx'
import type { CardEntry } from './card-entry.ts'
import type { Person } from './person.ts'
import type { usePerson } from './use-person.ts'
import type { Step } from './use-steps.ts'
import styles from './order-page.module.css'

interface CardFormProps<T> {
  step: Step<T>
  /** Null until the gateway's fields are ready, undefined where no card is asked for. */
  card: CardEntry | null | undefined
  person: ReturnType<typeof usePerson>
  onSubmit: (person: Person) => void
  /** The bank's check is over, whatever its outcome. */
  onChecked: (made: T) => void
  children: ReactNode
}

/** A form that a card is given in: sent once all its fields are right, and put aside while the bank asks. */
export function CardForm<T>({ step, card, person, onSubmit, onChecked, children }: CardFormProps<T>) {
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (step.at !== 'form' || card === null) return
    const isPersonRight = person.check()
    const isCardRight = card?.check(isPersonRight) ?? true
    if (isPersonRight && isCardRight) onSubmit(person.value)
  }
  return (
    <>
      {step.at === 'bank' && <BankCheck url={step.url} onChecked={() => onChecked(step.made)} />}
      <form
        className={styles.form}
        onSubmit={send}
        noValidate
        hidden={step.at === 'bank'}
        aria-busy={step.at === 'working'}
      >
        {children}
      </form>
    </>
  )
}
