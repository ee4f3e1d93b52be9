import { useState } from 'react'
import type { createOrder, Order } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { isOutcomeUnknown, createOneTapBuyer } from '#web/features/billing/payments/pay.ts'
import { usePaymentSteps } from '#web/features/billing/payments/use-payment-steps.ts'
import { acceptedPriceFields } from '#web/features/billing/payments/accepted-terms.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'
import { mayStillBePaid, unpaidText } from '#web/features/billing/payments/order-status.ts'

interface OneTapOptions {
  /** The payment source: a saved card, or the balance. */
  source: Pick<BodyOf<typeof createOrder>, 'gateway' | 'saved_method_id'> | undefined
  choice: Choice | undefined
  /** The text shown with the button, which the user accepts by pressing the button. */
  termsText: string
  onPaid: (order: Order) => void
  /**
   * Called if nothing was paid: the payment was declined, the source was deleted or insufficient, the price has
   * changed, or the item is already owned.
   */
  onRefused: () => void
  /** Called if the outcome is unknown. The user must then not pay in another way. */
  onUnsure: () => void
}

/**
 * Buys with a saved card or the balance by one press. If a 3-D Secure check is required, the step is `bank` and has the
 * URL of the check.
 */
export function useOneTap({ source, choice, termsText, onPaid, onRefused, onUnsure }: OneTapOptions) {
  const { t } = useTranslation()
  const messages = { unsure: t('order.outcomeUnknown'), failed: t('order.failed') }
  const { step, problem, setStep, refuse, attempt } = usePaymentSteps<Order>(messages)
  const [buy] = useState(createOneTapBuyer)

  const applyResult = (order: Order) => {
    if (order.status === 'paid') {
      setStep({ at: 'done', result: order })
      return onPaid(order)
    }
    if (order.next.type === 'authenticate')
      return setStep({ at: 'bank', result: order, url: order.next.url ?? '' })
    if (mayStillBePaid(order)) onUnsure()
    else onRefused()
    refuse(unpaidText(t, order))
  }
  /** @returns whether a payment was started */
  const press = (): boolean => {
    if (!source || !choice || step.at === 'working') return false
    const body = {
      kind: choice.kind,
      [`${choice.kind}_id`]: choice.id,
      ...source,
      ...acceptedPriceFields(choice),
      consent: { terms_text: termsText },
    }
    const pay = () =>
      buy(body).catch((error: unknown) => {
        if (isOutcomeUnknown(error)) onUnsure()
        throw error
      })
    void attempt(pay, applyResult, onRefused)
    return true
  }
  return {
    step,
    problem,
    press,
    /** To call when the 3-D Secure check has ended. */
    checked: applyResult,
    /** To call when the user has closed the 3-D Secure check. */
    leaveCheck: () => setStep({ at: 'form' }),
  }
}
