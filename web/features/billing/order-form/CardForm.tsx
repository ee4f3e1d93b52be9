import type { FormEvent, ReactNode } from 'react'
import { ThreeDSecureFrame } from '#web/features/billing/payments/ThreeDSecureFrame.tsx'
import type { CardEntry } from '#web/features/billing/payments/card-entry.ts'
import type { BillingDetails } from '#web/features/billing/payments/billing-details.ts'
import type { useBillingDetails } from '#web/features/billing/payments/use-billing-details.ts'
import type { Step } from '#web/features/billing/payments/use-payment-steps.ts'
import styles from '#web/features/billing/payments/order-page.module.css'

interface CardFormProps<T> {
  step: Step<T>
  /** Null until the gateway's fields are ready; undefined if the payment method needs no card. */
  card: CardEntry | null | undefined
  details: ReturnType<typeof useBillingDetails>
  onSubmit: (details: BillingDetails) => void
  /** Called when the 3-D Secure check has ended, with any result. */
  onChecked: (made: T) => void
  children: ReactNode
}

/** A form with card fields. It is sent only if all fields are valid, and hidden during the 3-D Secure check. */
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
