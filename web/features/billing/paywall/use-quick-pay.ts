import { useState } from 'react'
import type { Offer, Order } from '#contract/billing.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { money } from '#web/lib/money.ts'
import { trackCheckout } from './Checkout.tsx'
import { useOneTap } from './use-one-tap.ts'
import { cardDots, shownText, type Choice } from '#web/features/billing/payments/price-copy.ts'

type Source = 'balance' | 'card'

/** What can pay by one press. */
export type QuickSources = Pick<Offer, 'saved_method' | 'balance'>

interface QuickPay {
  sources: QuickSources
  choice: Choice | undefined
  /** The terms that are shown of a choice, by what pays. */
  termsOf: (choice: Choice, byBalance: boolean) => string
  /** Told of an order that was paid, and without one where what is offered has to be asked for again. */
  onPaid: (order?: Order) => void
}

/**
 * What the panel does with the balance and a saved card: one press pays. The other payment methods appear when they are asked
 * for or needed.
 */
export function useQuickPay({ sources, choice, termsOf, onPaid }: QuickPay) {
  const { t } = useTranslation()
  const { saved_method: card, balance } = sources
  const fitting = fittingSources(sources, choice)
  const [opened, setOpened] = useState(false)
  const [picked, setPicked] = useState<Source | 'other'>()
  const source = picked === 'other' ? undefined : (fitting.find((each) => each === picked) ?? fitting[0])
  const labels = {
    balance: (price: string) => t('balance.unlock', { price }),
    card: (price: string) => t('pay.payWith', { price, card: card ? cardDots(card) : '' }),
  }
  // The words are kept with the order, for as long as it is: no digits of a card.
  const unnamed = {
    balance: labels.balance,
    card: (price: string) => t('pay.payWith', { price, card: '••••' }),
  }
  const setOthers = (open: boolean) => {
    setOpened(open)
    // The button stands for the same as before once they are put away.
    setPicked(open ? 'other' : undefined)
  }
  const tap = useOneTap({
    source: source && payerOf(source, sources),
    choice,
    // Nor what the balance leaves, which is another text each time: the receipt has the amounts.
    shown: choice && source ? shownText(choice, termsOf(choice, false), unnamed[source]) : '',
    onPaid: (order: Order) => {
      // Advertising heard of the top-up.
      if (order.gateway !== 'balance') trackSale(order)
      onPaid(order)
    },
    onRefused: () => {
      setOthers(true)
      // It may be owned, cost something else or be refused for good: what is offered is asked for again, as after a payment.
      onPaid()
    },
    // Once the payment turns out to be made, the answer to it is the episode.
    onUnsure: onPaid,
  })
  const { step } = tap
  const names = {
    balance: balance ? t('balance.method', { amount: money(balance.available_cents, balance.currency) }) : '',
    card: card ? cardDots(card) : '',
  }
  return {
    /** What the button pays with; undefined for the payment method that is chosen. */
    source,
    label: source && labels[source],
    press() {
      if (tap.press() && choice && source === 'card') trackCheckout(choice)
    },
    isSandbox: source === 'card' && card?.gateway === 'sandbox',
    problem: tap.problem,
    busy: step.at === 'working' || step.at === 'done' ? t('order.working') : '',
    /** Whether something that is offered can be paid by one press. */
    isOffered: card !== undefined || (balance?.covers.length ?? 0) > 0,
    /** Whether the other payment methods are shown. */
    opened,
    setOthers,
    chooseOther: () => setPicked('other'),
    methods: fitting.map((each) => ({
      name: names[each],
      chosen: each === source,
      onChoose: () => setPicked(each),
    })),
    /** The order that the bank asks about. */
    checks: step.at === 'bank' ? step.made : undefined,
    checked: tap.checked,
    leaveCheck: tap.leaveCheck,
  }
}

/** The balance before a card: it costs nothing to pay with. */
export function fittingSources(
  { saved_method: card, balance }: QuickSources,
  choice: Choice | undefined,
): Source[] {
  if (!choice) return []
  const what = choice.kind === 'top_up' ? choice.id : choice.kind
  const byCard = card !== undefined && choice.kind !== 'plan' && !card.not_for?.includes(what)
  return [
    ...(balance?.covers.some((kind) => kind === choice.kind) ? ['balance' as const] : []),
    ...(byCard ? ['card' as const] : []),
  ]
}

function payerOf(source: Source, { saved_method: card }: QuickSources) {
  if (source === 'balance') return { gateway: 'balance' as const }
  return card && { gateway: card.gateway, saved_method_id: card.id }
}
