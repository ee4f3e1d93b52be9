import { useState } from 'react'
import type { createOrder, Order } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { isLost, oneCallBuyer } from '#web/features/billing/payments/pay.ts'
import { usePaymentSteps } from '#web/features/billing/payments/use-payment-steps.ts'
import {
  mayStillBePaid,
  shownPrice,
  unpaidText,
  type Choice,
} from '#web/features/billing/payments/price-copy.ts'

interface OneTap {
  /** What pays: a saved card, or the balance. */
  source: Pick<BodyOf<typeof createOrder>, 'gateway' | 'saved_method_id'> | undefined
  choice: Choice | undefined
  /** The words that are shown with the button, which the press agrees to. */
  shown: string
  onPaid: (order: Order) => void
  /** Told where it does not pay: it was declined, is gone or too little, or the price is another, or the person has it already. */
  onRefused: () => void
  /** Told where nobody can say whether it pays: nothing else may be paid with meanwhile. */
  onUnsure: () => void
}

/** Buys with a saved card or the balance by one press. Where the bank asks, the step is `bank`, and the order knows how it went. */
export function useOneTap({ source, choice, shown, onPaid, onRefused, onUnsure }: OneTap) {
  const { t } = useTranslation()
  const words = { unsure: t('order.unsure'), failed: t('order.failed') }
  const { step, problem, setStep, refuse, attempt } = usePaymentSteps<Order>(words)
  const [buy] = useState(oneCallBuyer)

  const settle = (order: Order) => {
    if (order.status === 'paid') {
      setStep({ at: 'done', made: order })
      return onPaid(order)
    }
    if (order.next.type === 'authenticate')
      return setStep({ at: 'bank', made: order, url: order.next.url ?? '' })
    if (mayStillBePaid(order)) onUnsure()
    else onRefused()
    refuse(unpaidText(t, order))
  }
  /** @returns whether a payment began */
  const press = (): boolean => {
    if (!source || !choice || step.at === 'working') return false
    const body = {
      kind: choice.kind,
      [`${choice.kind}_id`]: choice.id,
      ...source,
      ...shownPrice(choice),
      consent: { shown },
    }
    const pay = () =>
      buy(body).catch((error: unknown) => {
        if (isLost(error)) onUnsure()
        throw error
      })
    void attempt(pay, settle, onRefused)
    return true
  }
  return {
    step,
    problem,
    press,
    /** The bank's check is over. */
    checked: settle,
    /** The person has put the bank's check away. */
    leaveCheck: () => setStep({ at: 'form' }),
  }
}
