import { useEffect, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Order } from '#contract/billing.ts'
import { money } from '#web/lib/money.ts'
import { Field } from '#web/ui/Field.tsx'
import { SubmitBar } from '#web/ui/SubmitBar.tsx'
import { CardForm } from './CardForm.tsx'
import { CardPart, ProblemNote } from './CardPart.tsx'
import type { CardEntry, CardFields } from './card-entry.ts'
import { OrderDone } from './OrderDone.tsx'
import { isFramed, reportOrder } from './order-report.ts'
import { leaveOwned } from './leave-owned.ts'
import { rememberPayer } from './remembered-payer.ts'
import { usePayment } from './use-payment.ts'
import { usePerson } from './use-person.ts'
import type { Wish } from './wish.ts'
import { payLabel, type Choice } from './words.ts'
import styles from './order-page.module.css'

interface OrderFormProps {
  wish: Wish
  choice: Choice
  /** The gateway's; null where no card is paid with. */
  Card: CardFields | null
}

/** E-mail and name are ours, the card's fields the gateway's; the price stands whole beside the button. */
export function OrderForm({ wish, choice: offered, Card }: OrderFormProps) {
  const { t } = useTranslation()
  // The introductory price is not for everybody; who it is for is known once there is an e-mail.
  const [cents, setCents] = useState(offered.cents)
  const choice = offered.regular?.cents === cents ? { ...offered, ...offered.regular } : offered
  const byCard = Card !== null
  const [atOnce, setAtOnce] = useState(false)
  const ends = choice.kind === 'plan' ? t('pay.cancelAnyTime') : ''
  // A further period is no new contract that one could withdraw from.
  const isContract = !choice.owed
  const terms = [choice.terms, ends, isContract && !atOnce ? t('order.withdrawal') : '']
    .filter(Boolean)
    .join(' ')
  const agreed = atOnce ? ` [x] ${t('order.atOnce')}` : ''
  const label = byCard ? payLabel(t, choice) : (price: string) => t('order.continueWallet', { price })
  const [card, setCard] = useState<CardEntry | null>(null)
  const { step, problem, submit, checked } = usePayment(
    wish,
    {
      words: `${choice.name}: ${choice.text}. ${terms}${agreed} [${label(money(choice.cents, choice.currency))}]`,
      cents: choice.cents,
      atOnce,
      onOtherPrice: setCents,
      onOwned: () => leaveOwned(wish),
    },
    card,
  )
  const person = usePerson(byCard ? ['email', 'first', 'last'] : ['email'])
  const done = step.at === 'done' ? step.made : null
  useEffect(() => {
    if (done) rememberPayer(person.value)
  }, [done, person.value])
  useReport(done)
  if (step.at === 'done') return <OrderDone order={step.made} />
  return (
    <CardForm
      step={step}
      card={byCard ? card : undefined}
      person={person}
      onSubmit={(value) => void submit(value)}
      onChecked={(made) => void checked(made)}
    >
      <Bought choice={choice} />
      <Field
        {...person.field('email')}
        label={t('order.email')}
        hint={t('order.emailHint')}
        refusal={problem?.field === 'email' ? problem.message : ''}
        type="email"
        inputMode="email"
        autoComplete="email"
      />
      {Card && <CardPart Card={Card} person={person} problem={problem} onEntry={setCard} />}
      <ProblemNote problem={problem} />
      {isContract && (
        <label className={styles.atOnce}>
          <input type="checkbox" checked={atOnce} onChange={(event) => setAtOnce(event.target.checked)} />
          {t('order.atOnce')}
        </label>
      )}
      <SubmitBar
        cents={choice.cents}
        currency={choice.currency}
        label={label}
        terms={terms}
        note={wish.gateway === 'sandbox' ? t('pay.sandbox') : ''}
        busy={step.at === 'working' ? t('order.working') : ''}
        disabled={byCard && !card}
      />
    </CardForm>
  )
}

function Bought({ choice }: { choice: Choice }) {
  return (
    <div className={styles.bought}>
      <p className={styles.name}>{choice.name}</p>
      <p className={styles.price}>{money(choice.cents, choice.currency)}</p>
      <p className={styles.text}>{choice.text}</p>
    </div>
  )
}

/** Tells the framing page; a page of its own goes where the order leads. */
function useReport(order: Order | null): void {
  useEffect(() => {
    if (!order) return
    if (isFramed()) reportOrder(order)
    else if (order.next.type === 'redirect' && order.next.url) location.assign(order.next.url)
    else location.assign(`/order/result?order_id=${encodeURIComponent(order.id)}`)
  }, [order])
}
