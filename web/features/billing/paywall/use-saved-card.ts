import { useState } from 'react'
import type { Offer, Order } from '#contract/billing.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { trackCheckout } from './Checkout.tsx'
import { useOneTap } from './use-one-tap.ts'
import { cardDots, panelTerms, shownText, type Choice } from '#web/features/billing/payments/price-copy.ts'

/** What the panel does with a saved card: one press pays, and the other payment methods appear when they are asked for or needed. */
export function useSavedCard(offer: Offer, choice: Choice | undefined, onPaid: () => void) {
  const { t } = useTranslation()
  const saved = offer.saved_method
  const fits = choice && choice.kind !== 'plan' && !saved?.not_for?.includes(choice.kind) ? saved : undefined
  const [opened, setOpened] = useState(false)
  const [chosen, setChosen] = useState(true)
  const label = (price: string) => t('pay.payWith', { price, card: saved ? cardDots(saved) : '' })
  // The words are kept with the order, for as long as it is: no digits of a card.
  const unnamed = (price: string) => t('pay.payWith', { price, card: '••••' })
  const showOtherMethods = () => {
    setOpened(true)
    setChosen(false)
  }
  const tap = useOneTap({
    saved: fits,
    choice,
    shown: choice ? shownText(choice, panelTerms(t, choice, true), unnamed) : '',
    onPaid: (order: Order) => {
      trackSale(order)
      onPaid()
    },
    onRefused: () => {
      showOtherMethods()
      // It may be owned, cost something else or be refused for good: what is offered is asked for again, as after a payment.
      onPaid()
    },
    // Once the payment turns out to be made, the answer to it is the episode.
    onUnsure: onPaid,
  })
  const { step } = tap
  return {
    /** Whether the button pays with it. */
    pays: fits !== undefined && chosen,
    label,
    press() {
      if (tap.press() && choice) trackCheckout(choice)
    },
    gateway: saved?.gateway,
    problem: tap.problem,
    busy: step.at === 'working' || step.at === 'done' ? t('order.working') : '',
    hidesOtherMethods: saved !== undefined && !opened,
    showOtherMethods,
    choose: setChosen,
    method: fits && { name: cardDots(fits), chosen, onChoose: () => setChosen(true) },
    /** The order that the bank asks about. */
    checks: step.at === 'bank' ? step.made : undefined,
    checked: tap.checked,
    leaveCheck: tap.leaveCheck,
  }
}
