import type { MethodChange } from '#contract/billing.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { CardEntry } from './card-entry.ts'
import { beginChange, followChange } from './call-change.ts'
import type { Person } from './person.ts'
import { useSteps } from './use-steps.ts'
import type { MethodWish } from './wish.ts'

/** The way of one change of method: the card or the wallet, perhaps the bank's check, and what became of it. */
export function useMethodChange({ gateway, method }: MethodWish, card: CardEntry | null) {
  const { t } = useTranslation()
  const words = { unsure: t('method.unsure'), failed: t('method.unsure') }
  const { step, problem, setStep, refuse, attempt } = useSteps<MethodChange>(words)

  const settle = (made: MethodChange) => {
    const { status, next } = made
    if (status === 'saved' || next.type === 'redirect') return setStep({ at: 'done', made })
    if (next.type === 'authenticate' && next.url) return setStep({ at: 'bank', made, url: next.url })
    refuse(t(next.type === 'none' ? 'method.unsure' : 'method.notConfirmed'))
  }
  /** The card is kept, or for Stripe given to what keeps it. */
  const errand = {
    made: null,
    send: (payment_token: string | undefined, { first, last }: Person) =>
      beginChange({ gateway, method, payment_token, first_name: first, last_name: last }),
    read: ({ id }: MethodChange) => followChange(id),
  }
  const submit = (person: Person) =>
    attempt(() => (card ? card.give(errand, person) : beginChange({ gateway, method })), settle)
  /** The bank's check is over, whatever its outcome. What still asks for it then was not confirmed. */
  const checked = ({ id }: MethodChange) =>
    attempt(async () => {
      const change = await followChange(id)
      return change.next.type === 'authenticate' ? { ...change, next: { type: 'card_form' } } : change
    }, settle)
  return { step, problem, submit, checked }
}
