import { useState } from 'react'
import type { Offer, Order, SavedPaymentMethod } from '#contract/billing.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { money } from '#web/lib/format-money.ts'
import { trackCheckout } from './Checkout.tsx'
import { useOneTap } from './use-one-tap.ts'
import { acceptedTextOf } from '#web/features/billing/payments/accepted-terms.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'

type Source = 'balance' | 'card'

/** The sources that pay with one press. */
export type QuickSources = Pick<Offer, 'saved_method' | 'balance'>

interface QuickPayOptions {
  sources: QuickSources
  choice: Choice | undefined
  /** Returns the terms of a choice; `byBalance` is true if it is paid from the balance. */
  termsOf: (choice: Choice, byBalance: boolean) => string
  /** Called with the paid order, or without it if the offer must be reloaded. */
  onPaid: (order?: Order) => void
}

/**
 * Manages the panel's payments with one press, from the balance or with a saved card. The other payment methods appear
 * when the user asks for them, or after a refusal.
 */
export function useQuickPay({ sources, choice, termsOf, onPaid }: QuickPayOptions) {
  const { t } = useTranslation()
  const { saved_method: card, balance } = sources
  const usableSources = findUsableSources(sources, choice)
  const [showsOthers, setShowsOthers] = useState(false)
  const [picked, setPicked] = useState<Source | 'other'>()
  const source =
    picked === 'other' ? undefined : (usableSources.find((each) => each === picked) ?? usableSources[0])
  const labels = {
    balance: (price: string) => t('balance.unlock', { price }),
    card: (price: string) => t('pay.payWith', { price, card: card ? maskedCardNumber(card) : '' }),
  }
  // This text is stored as long as the order, so it must not contain digits of the card number.
  const labelsWithoutDigits = {
    balance: labels.balance,
    card: (price: string) => t('pay.payWith', { price, card: '••••' }),
  }
  const setOthers = (open: boolean) => {
    setShowsOthers(open)
    // When the other methods are hidden again, the button pays from the first usable source.
    setPicked(open ? 'other' : undefined)
  }
  const tap = useOneTap({
    source: source && sourceFields(source, sources),
    choice,
    // Omits the remaining balance, so that the stored text is the same for each purchase. The receipt has the amounts.
    termsText:
      choice && source ? acceptedTextOf(choice, termsOf(choice, false), labelsWithoutDigits[source]) : '',
    onPaid: (order: Order) => {
      // For the balance, the conversion was already reported with the top-up.
      if (order.gateway !== 'balance') trackSale(order)
      onPaid(order)
    },
    onRefused: () => {
      setOthers(true)
      // The item may already be owned or have another price, or the source may no longer be usable. So reload the offer
      // as after a payment.
      onPaid()
    },
    // Reloads the offer. If the payment has succeeded, the episode is then playable.
    onUnsure: onPaid,
  })
  const { step } = tap
  const names = {
    balance: balance ? t('balance.method', { amount: money(balance.available_cents, balance.currency) }) : '',
    card: card ? maskedCardNumber(card) : '',
  }
  return {
    /** The source that the button charges; undefined if it opens the payment with another method instead. */
    source,
    label: source && labels[source],
    press() {
      if (tap.press() && choice && source === 'card') trackCheckout(choice)
    },
    isSandbox: source === 'card' && card?.gateway === 'sandbox',
    problem: tap.problem,
    busy: step.at === 'working' || step.at === 'done' ? t('order.working') : '',
    /** True if a saved card or the balance can pay at least one of the offered items. */
    isOffered: card !== undefined || (balance?.covers.length ?? 0) > 0,
    /** True if the other payment methods are shown. */
    opened: showsOthers,
    setOthers,
    chooseOther: () => setPicked('other'),
    methods: usableSources.map((each) => ({
      name: names[each],
      chosen: each === source,
      onChoose: () => setPicked(each),
    })),
    /** The order whose payment requires a 3-D Secure check. */
    orderInThreeDSecure: step.at === 'bank' ? step.result : undefined,
    checked: tap.checked,
    leaveCheck: tap.leaveCheck,
  }
}

/** Returns the sources that can pay a choice. The balance is first, because it costs no payment fees. */
export function findUsableSources(
  { saved_method: card, balance }: QuickSources,
  choice: Choice | undefined,
): Source[] {
  if (!choice) return []
  const item = choice.kind === 'top_up' ? choice.id : choice.kind
  const byCard = card !== undefined && choice.kind !== 'plan' && !card.unsupported_products?.includes(item)
  return [
    ...(balance?.covers.some((kind) => kind === choice.kind) ? ['balance' as const] : []),
    ...(byCard ? ['card' as const] : []),
  ]
}

function sourceFields(source: Source, { saved_method: card }: QuickSources) {
  if (source === 'balance') return { gateway: 'balance' as const }
  return card && { gateway: card.gateway, saved_method_id: card.id }
}

/** Returns the label of a saved card on buttons: "•••• 4242". */
const maskedCardNumber = ({ last4 }: Pick<SavedPaymentMethod, 'last4'>): string => `•••• ${last4 ?? ''}`
