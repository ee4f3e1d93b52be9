import { useState } from 'react'
import type { Offer, Order } from '#contract/billing.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { money } from '#web/lib/format-money.ts'
import { trackCheckout } from './Checkout.tsx'
import { useOneTap } from './use-one-tap.ts'
import { maskedCardNumber, acceptedTextOf, type Choice } from '#web/features/billing/payments/price-copy.ts'

type Source = 'balance' | 'card'

/** The sources that pay by one press. */
export type QuickSources = Pick<Offer, 'saved_method' | 'balance'>

interface QuickPayOptions {
  sources: QuickSources
  choice: Choice | undefined
  /** Returns the terms to show for a choice paid from the balance or otherwise. */
  termsOf: (choice: Choice, byBalance: boolean) => string
  /** Called with the paid order, or without one if the offer has to be reloaded. */
  onPaid: (order?: Order) => void
}

/**
 * Handles one-press payments from the balance or a saved card in the panel. The other payment methods appear on request or when
 * needed.
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
  // This text is stored as long as the order, so it must not contain digits of a card.
  const labelsWithoutDigits = {
    balance: labels.balance,
    card: (price: string) => t('pay.payWith', { price, card: '••••' }),
  }
  const setOthers = (open: boolean) => {
    setShowsOthers(open)
    // When the other methods are hidden again, the button pays from the same source as before.
    setPicked(open ? 'other' : undefined)
  }
  const tap = useOneTap({
    source: source && sourceFields(source, sources),
    choice,
    // The text leaves out the remaining balance, which would make each text different. The receipt has the amounts.
    shown:
      choice && source ? acceptedTextOf(choice, termsOf(choice, false), labelsWithoutDigits[source]) : '',
    onPaid: (order: Order) => {
      // The conversion was reported for the top-up.
      if (order.gateway !== 'balance') trackSale(order)
      onPaid(order)
    },
    onRefused: () => {
      setOthers(true)
      // The item may already be owned, have another price, or be refused for good, so the offer is reloaded as after a payment.
      onPaid()
    },
    // If the payment turns out to have succeeded, the reload returns the episode.
    onUnsure: onPaid,
  })
  const { step } = tap
  const names = {
    balance: balance ? t('balance.method', { amount: money(balance.available_cents, balance.currency) }) : '',
    card: card ? maskedCardNumber(card) : '',
  }
  return {
    /** The source of the button; undefined for the chosen payment method. */
    source,
    label: source && labels[source],
    press() {
      if (tap.press() && choice && source === 'card') trackCheckout(choice)
    },
    isSandbox: source === 'card' && card?.gateway === 'sandbox',
    problem: tap.problem,
    busy: step.at === 'working' || step.at === 'done' ? t('order.working') : '',
    /** True if some offered item can be paid by one press. */
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
    /** The order whose payment needs the bank's check. */
    orderInThreeDSecure: step.at === 'bank' ? step.result : undefined,
    checked: tap.checked,
    leaveCheck: tap.leaveCheck,
  }
}

/** Returns the sources that can pay a choice. The balance comes before a card, because it has no payment fees. */
export function findUsableSources(
  { saved_method: card, balance }: QuickSources,
  choice: Choice | undefined,
): Source[] {
  if (!choice) return []
  const item = choice.kind === 'top_up' ? choice.id : choice.kind
  const byCard = card !== undefined && choice.kind !== 'plan' && !card.not_for?.includes(item)
  return [
    ...(balance?.covers.some((kind) => kind === choice.kind) ? ['balance' as const] : []),
    ...(byCard ? ['card' as const] : []),
  ]
}

function sourceFields(source: Source, { saved_method: card }: QuickSources) {
  if (source === 'balance') return { gateway: 'balance' as const }
  return card && { gateway: card.gateway, saved_method_id: card.id }
}
