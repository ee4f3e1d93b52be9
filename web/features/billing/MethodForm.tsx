import { useEffect, useState } from 'react'
import type { MethodChange } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { SubmitBar } from '#web/ui/SubmitBar.tsx'
import { CardForm } from './CardForm.tsx'
import type { CardEntry, CardFields } from './card-entry.ts'
import { CardPart } from './CardPart.tsx'
import { isFramed, reportChange } from './order-report.ts'
import { ProblemNote } from './ProblemNote.tsx'
import { useMethodChange } from './use-method-change.ts'
import { usePerson } from './use-person.ts'
import type { MethodWish } from './wish.ts'
import { methodName, nextChargeWords } from './method-words.ts'
import styles from './order-page.module.css'

interface MethodFormProps {
  wish: MethodWish
  membership: Membership
  /** The gateway's; null where no card is given. */
  Card: CardFields | null
}

/** The same fields as to pay, to say what the plan is charged to from now on; nothing is charged here. */
export function MethodForm({ wish, membership, Card }: MethodFormProps) {
  const { t } = useTranslation()
  const byCard = Card !== null
  const [card, setCard] = useState<CardEntry | null>(null)
  const { step, problem, submit, checked } = useMethodChange(wish, card)
  const person = usePerson(byCard ? ['first', 'last'] : [])
  useReport(step.at === 'done' ? step.made : null)
  const wallet = t(wish.gateway === 'paypal' ? 'pay.paypal' : 'pay.wallet')
  const label = byCard ? t('method.save') : t('method.continue', { wallet })
  if (step.at === 'done')
    return (
      <p className={styles.nothing} role="status">
        {t(step.made.status === 'saved' ? 'method.saved' : 'method.working')}
      </p>
    )
  return (
    <CardForm
      step={step}
      card={byCard ? card : undefined}
      person={person}
      onSubmit={(value) => void submit(value)}
      onChecked={(made) => void checked(made)}
    >
      <div className={styles.bought}>
        <p className={styles.text}>{t('method.current')}</p>
        <p className={styles.name}>{methodName(t, membership) || t('method.none')}</p>
      </div>
      {Card && <CardPart Card={Card} person={person} problem={problem} onEntry={setCard} />}
      {!Card && <p className={styles.walletText}>{t('method.walletText')}</p>}
      <ProblemNote problem={problem} />
      <SubmitBar
        cents={0}
        currency={membership.plan?.currency ?? ''}
        label={() => label}
        terms={`${t('shopping.nothingNow')} ${nextChargeWords(t, membership)}`}
        note={wish.gateway === 'sandbox' ? t('pay.sandbox') : ''}
        busy={step.at === 'working' ? t('method.working') : ''}
        disabled={byCard && !card}
      />
    </CardForm>
  )
}

/** Tells the framing page; a page of its own goes where the change leads. */
function useReport(change: MethodChange | null): void {
  useEffect(() => {
    if (!change) return
    if (isFramed()) reportChange(change)
    else location.assign(change.next.url ?? paths.my.to())
  }, [change])
}
