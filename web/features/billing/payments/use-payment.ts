import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Order } from '#contract/billing.ts'
import type { CallRejected } from '#web/lib/api.ts'
import type { CardEntry } from './card-entry.ts'
import { afterCheck, createOrderOnce, payWithToken, priceIn, settledOrder } from './pay.ts'
import type { BillingDetails } from './billing-details.ts'
import { usePaymentSteps } from './use-payment-steps.ts'
import { mayStillBePaid, shownPrice, unpaidText, type Choice } from './price-copy.ts'
import { isOwned, type CheckoutParams } from './checkout-params.ts'

interface Shown {
  words: string
  /** The text accepted by saving the card; undefined if it is not to be saved. */
  saveText: string | undefined
  price: Pick<Choice, 'cents' | 'bonusCents'>
  /** True if the user requested immediate delivery and acknowledged its consequences. */
  atOnce: boolean
  /** Called with the current price if the price or the bonus differs from the shown one. */
  onOtherPrice(cents: number): void
  /** Called if the user owns the item already. */
  onOwned(): void
}

/** Runs one payment: order, card, possibly 3-D Secure, and the result. */
export function usePayment(params: CheckoutParams, shown: Shown, card: CardEntry | null) {
  const { t } = useTranslation()
  const words = { unsure: t('order.unsure'), failed: t('order.failed') }
  const { step, problem, setStep, refuse, attempt } = usePaymentSteps<Order>(words)
  const [orders] = useState(createOrderOnce)

  const settle = (order: Order) => {
    const { status, next, declined } = order
    if (status === 'paid' || next.type === 'redirect') return setStep({ at: 'done', made: order })
    if (!declined && next.type === 'authenticate' && next.url)
      return setStep({ at: 'bank', made: order, url: next.url })
    if (!declined && status !== 'pending' && !mayStillBePaid(order)) orders.forget()
    refuse(unpaidText(t, order))
  }
  const note = (error: CallRejected) => {
    if (error.code === 409) {
      orders.forget()
      void isOwned(params).then(
        (owned) => owned && shown.onOwned(),
        () => undefined,
      )
    }
    const cents = priceIn(error)
    if (cents !== undefined) shown.onOtherPrice(cents)
  }

  /** @param given the card entry, if it is not the form's */
  const submit = (details: BillingDetails, given = card) =>
    attempt(
      async () => {
        const { kind, id, gateway, method, video } = params
        const from = kind === 'plan' && video !== undefined ? { video_id: video } : {}
        const consent = { shown: shown.words, immediate_delivery: shown.atOnce }
        const seen = { email: details.email, ...shownPrice(shown.price), consent }
        const save = shown.saveText === undefined ? {} : { save_method: { shown: shown.saveText } }
        const order = await orders.make({
          kind,
          [`${kind}_id`]: id,
          ...from,
          gateway,
          method,
          ...seen,
          ...save,
        })
        if (!given || order.status !== 'pending') return order
        const paid = await given.give(purposeOf(order), details)
        return paid?.status === 'pending' && paid.next.type === 'none' ? settledOrder(paid.id) : paid
      },
      settle,
      note,
    )
  /** Called when the bank's check has ended, whatever its outcome, which is read from the order. */
  const checked = (order: Order) => attempt(() => afterCheck(order.id), settle, note)
  /** Called when the user has closed the bank's check. */
  const leaveCheck = () => setStep({ at: 'form' })
  return { step, problem, submit, checked, leaveCheck }
}

/** The card pays an order; with Stripe, it confirms the order's payment intent. */
function purposeOf(order: Order) {
  return {
    made: order,
    send: (token: string | undefined, { first, last }: BillingDetails) =>
      payWithToken(order, token, first, last),
    read: (made: Order, name: string, { first, last }: BillingDetails) =>
      payWithToken(made, name, first, last),
  }
}
