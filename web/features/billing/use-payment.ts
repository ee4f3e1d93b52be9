import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Order } from '#contract/billing.ts'
import { CallFailed, CallRejected } from '#web/lib/api.ts'
import type { CardEntry } from './card-entry.ts'
import { orderMaker, priceIn, settledOrder, toldToWait } from './pay.ts'
import type { Person } from './person.ts'
import type { Wish } from './wish.ts'
import { waitWords } from './words.ts'

export type Step =
  | { at: 'form' }
  | { at: 'working' }
  | { at: 'bank'; order: Order; url: string }
  | { at: 'done'; order: Order }
export interface Problem {
  field?: string | undefined
  message: string
}

interface Shown {
  words: string
  cents: number
  /** Whether the person asked for immediate delivery and acknowledged what that means. */
  atOnce: boolean
  /** Told where it costs something else. */
  onOtherPrice(cents: number): void
}

/** The way of one payment: order, card, perhaps the bank's check, and what became of it. After a refusal it can be tried again. */
export function usePayment(wish: Wish, shown: Shown, card: CardEntry | null) {
  const { t } = useTranslation()
  const [step, setStep] = useState<Step>({ at: 'form' })
  const [problem, setProblem] = useState<Problem | null>(null)
  const [orders] = useState(orderMaker)

  const refuse = (message: string, field?: string) => {
    setProblem({ message, field })
    setStep({ at: 'form' })
  }
  const settle = (order: Order) => {
    const { status, next, declined } = order
    if (status === 'paid' || next.type === 'redirect') return setStep({ at: 'done', order })
    if (declined) return refuse(declined.message)
    if (next.type === 'authenticate' && next.url) return setStep({ at: 'bank', order, url: next.url })
    if (status !== 'pending') orders.forget()
    if (status !== 'pending') return refuse(t('order.failed'))
    refuse(t(next.type === 'none' ? 'order.unsure' : 'order.notConfirmed'))
  }
  const attempt = async (work: () => Promise<Order | null>) => {
    setProblem(null)
    setStep({ at: 'working' })
    try {
      const order = await work()
      if (order) settle(order)
      else setStep({ at: 'form' })
    } catch (error) {
      if (error instanceof CallRejected && error.code === 409) orders.forget()
      if (toldToWait(error)) return refuse(waitWords(t, error))
      // Without an answer nobody knows yet whether money moved.
      if (error instanceof CallFailed) return refuse(t('order.unsure'))
      const cents = priceIn(error)
      if (cents !== undefined) shown.onOtherPrice(cents)
      const said = error instanceof CallRejected ? error.message : ''
      refuse(said || t('order.failed'), error instanceof CallRejected ? error.field : undefined)
    }
  }

  const submit = (person: Person) =>
    attempt(async () => {
      const { kind, id, gateway, method } = wish
      const consent = { shown: shown.words, immediate_delivery: shown.atOnce }
      const seen = { email: person.email, amount_cents: shown.cents, consent }
      const order = await orders.make({ kind, [`${kind}_id`]: id, gateway, method, ...seen })
      if (!card || order.status !== 'pending') return order
      const paid = await card.pay(order, person)
      return paid?.status === 'pending' && paid.next.type === 'none' ? settledOrder(paid.id) : paid
    })
  /** The bank's check is over, whatever its outcome: the order says it. */
  const checked = (order: Order) => attempt(() => afterCheck(order.id))
  return { step, problem, submit, checked }
}

/** The order once the bank's answer is known; what still asks for the check then was not confirmed. */
async function afterCheck(orderId: string): Promise<Order> {
  const order = await settledOrder(orderId)
  return order.next.type === 'authenticate' ? { ...order, next: { type: 'card_form' } } : order
}
