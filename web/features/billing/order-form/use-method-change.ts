import type { PaymentMethodChange } from '#contract/billing.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { CardEntry } from '#web/features/billing/payments/card-entry.ts'
import { startMethodChange, syncMethodChange } from '#web/features/billing/payment-methods/method-change.ts'
import type { BillingDetails } from '#web/features/billing/payments/billing-details.ts'
import { usePaymentSteps } from '#web/features/billing/payments/use-payment-steps.ts'
import type { MethodFormParams } from '#web/features/billing/payments/checkout-params.ts'

/** Runs one change of payment method: card or wallet, 3-D Secure if required, and the result. */
export function useMethodChange({ gateway, method }: MethodFormParams, card: CardEntry | null) {
  const { t } = useTranslation()
  const messages = { unsure: t('method.outcomeUnknown'), failed: t('method.outcomeUnknown') }
  const { step, problem, setStep, refuse, attempt } = usePaymentSteps<PaymentMethodChange>(messages)

  const applyResult = (result: PaymentMethodChange) => {
    const { status, next } = result
    if (status === 'saved' || next.type === 'redirect') return setStep({ at: 'done', result })
    if (next.type === 'authenticate' && next.url) return setStep({ at: 'bank', result, url: next.url })
    refuse(t(next.type === 'none' ? 'method.outcomeUnknown' : 'method.notConfirmed'))
  }
  /** Saves the card; with Stripe, confirms a setup intent. */
  const purpose = {
    current: null,
    send: (payment_token: string | undefined, { first, last }: BillingDetails) =>
      startMethodChange({ gateway, method, payment_token, first_name: first, last_name: last }),
    read: ({ id }: PaymentMethodChange) => syncMethodChange(id),
  }
  const submit = (details: BillingDetails) =>
    attempt(
      () => (card ? card.submit(purpose, details) : startMethodChange({ gateway, method })),
      applyResult,
    )
  /**
   * Called when the 3-D Secure check has ended, with any result. If a check is still required, the user has not passed
   * it.
   */
  const checked = ({ id }: PaymentMethodChange) =>
    attempt(async () => {
      const change = await syncMethodChange(id)
      return change.next.type === 'authenticate' ? { ...change, next: { type: 'card_form' } } : change
    }, applyResult)
  return { step, problem, submit, checked }
}
