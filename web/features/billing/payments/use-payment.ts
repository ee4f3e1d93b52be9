import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Order } from '#contract/billing.ts'
import type { ApiError } from '#web/lib/api.ts'
import type { CardEntry } from './card-entry.ts'
import { orderAfterThreeDSecure, createOrderReuser, payWithToken, priceFromError, pollOrder } from './pay.ts'
import type { BillingDetails } from './billing-details.ts'
import { usePaymentSteps } from './use-payment-steps.ts'
import { acceptedPriceFields } from './accepted-terms.ts'
import type { Choice } from './choices.ts'
import { mayStillBePaid, unpaidText } from './order-status.ts'
import { isOwned, type CheckoutParams } from './checkout-params.ts'

interface PaymentOptions {
  acceptedText: string
  /** The text that the user accepts by saving the card; undefined if the card is not saved. */
  saveText: string | undefined
  price: Pick<Choice, 'cents' | 'bonusCents'>
  /** True if the user requested immediate delivery and acknowledged its consequences. */
  immediateDelivery: boolean
  /** Called with the current price, if the price or the bonus has changed since it was shown to the user. */
  onPriceChanged(cents: number): void
  /** Called if the user already owns the item. */
  onOwned(): void
}

/** Runs one payment: order, card, 3-D Secure if required, and the result. */
export function usePayment(params: CheckoutParams, options: PaymentOptions, card: CardEntry | null) {
  const { t } = useTranslation()
  const messages = { unsure: t('order.outcomeUnknown'), failed: t('order.failed') }
  const { step, problem, setStep, refuse, attempt } = usePaymentSteps<Order>(messages)
  const [orderReuser] = useState(createOrderReuser)

  const applyResult = (order: Order) => {
    const { status, next, declined } = order
    if (status === 'paid' || next.type === 'redirect') return setStep({ at: 'done', result: order })
    if (!declined && next.type === 'authenticate' && next.url)
      return setStep({ at: 'bank', result: order, url: next.url })
    if (!declined && status !== 'pending' && !mayStillBePaid(order)) orderReuser.reset()
    refuse(unpaidText(t, order))
  }
  const onRejected = (error: ApiError) => {
    if (error.code === 409) {
      orderReuser.reset()
      void isOwned(params).then(
        (owned) => owned && options.onOwned(),
        () => undefined,
      )
    }
    const cents = priceFromError(error)
    if (cents !== undefined) options.onPriceChanged(cents)
  }

  /** @param entry the card entry; by default the form's own */
  const submit = (details: BillingDetails, entry = card) =>
    attempt(
      async () => {
        const { kind, id, gateway, method, video } = params
        const attribution = kind === 'plan' && video !== undefined ? { video_id: video } : {}
        const consent = { terms_text: options.acceptedText, immediate_delivery: options.immediateDelivery }
        const accepted = { email: details.email, ...acceptedPriceFields(options.price), consent }
        const save = options.saveText === undefined ? {} : { save_method: { terms_text: options.saveText } }
        const order = await orderReuser.createOrReuse({
          kind,
          [`${kind}_id`]: id,
          ...attribution,
          gateway,
          method,
          ...accepted,
          ...save,
        })
        if (!entry || order.status !== 'pending') return order
        const paid = await entry.submit(purposeOf(order), details)
        return paid?.status === 'pending' && paid.next.type === 'none' ? pollOrder(paid.id) : paid
      },
      applyResult,
      onRejected,
    )
  /** Called when the 3-D Secure check has ended, with any result. The result is then read from the order. */
  const checked = (order: Order) => attempt(() => orderAfterThreeDSecure(order.id), applyResult, onRejected)
  /** Called when the user has closed the 3-D Secure check. */
  const leaveCheck = () => setStep({ at: 'form' })
  return { step, problem, submit, checked, leaveCheck }
}

/** Returns the card's purpose: to pay this order. With Stripe, the card confirms the order's payment intent. */
function purposeOf(order: Order) {
  return {
    current: order,
    send: (token: string | undefined, { first, last }: BillingDetails) =>
      payWithToken(order, token, first, last),
    read: (made: Order, name: string, { first, last }: BillingDetails) =>
      payWithToken(made, name, first, last),
  }
}
