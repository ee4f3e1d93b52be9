import type { FormEvent, ReactNode } from 'react'
import { ThreeDSecureFrame } from '#web/features/billing/payments/ThreeDSecureFrame.tsx'
import type { CardEntry } from '#web/features/billing/payments/card-entry.ts'
import type { BillingDetails } from '#web/features/billing/payments/billing-details.ts'
import type { useBillingDetails } from '#web/features/billing/payments/use-billing-details.ts'
import type { Step } from '#web/features/billing/payments/use-payment-steps.ts'
import styles from '#web/features/billing/payments/order-page.module.css'

interface CardFormProps<T> {
  step: Step<T>
  /** Null until the gateway's fields are ready, undefined if no card is needed. */
  card: CardEntry | null | undefined
  details: ReturnType<typeof useBillingDetails>
  onSubmit: (details: BillingDetails) => void
  /** Called when the bank's check has ended, whatever its outcome. */
  onChecked: (made: T) => void
  children: ReactNode
}

/** A form with card fields: submitted once all fields are valid, hidden during the bank's check. */
export function CardForm<T>({ step, card, details, onSubmit, onChecked, children }: CardFormProps<T>) {
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (step.at !== 'form' || card === null) return
    const areDetailsValid = details.showErrors()
    const isCardValid = card?.check(areDetailsValid) ?? true
    if (areDetailsValid && isCardValid) onSubmit(details.value)
  }
  return (
    <>
      {step.at === 'bank' && <ThreeDSecureFrame url={step.url} onChecked={() => onChecked(step.result)} />}
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
