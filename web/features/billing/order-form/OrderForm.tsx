import { useEffect, useId, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Order } from '#contract/billing.ts'
import { money } from '#web/lib/format-money.ts'
import { Field } from '#web/ui/forms/Field.tsx'
import { SubmitBar } from '#web/ui/forms/SubmitBar.tsx'
import { CardForm } from './CardForm.tsx'
import { CardSection } from './CardSection.tsx'
import type { CardEntry, CardFields } from '#web/features/billing/payments/card-entry.ts'
import type { ExpressSection } from '#web/features/billing/express/ExpressSection.tsx'
import { isFramed, reportOrder, reportOwned } from '#web/features/billing/payments/order-report.ts'
import { ProblemNote } from '#web/features/billing/payments/ProblemNote.tsx'
import { rememberPayer } from '#web/features/billing/payments/remembered-payer.ts'
import { usePayment } from '#web/features/billing/payments/use-payment.ts'
import { useBillingDetails } from '#web/features/billing/payments/use-billing-details.ts'
import type { CheckoutParams } from '#web/features/billing/payments/checkout-params.ts'
import { expressLabel, payLabel, acceptedTextOf } from '#web/features/billing/payments/accepted-terms.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'
import styles from '#web/features/billing/payments/order-page.module.css'
import { paths } from '#web/lib/paths.ts'

interface OrderFormProps {
  params: CheckoutParams
  choice: Choice
  /** The gateway's card fields; null if the method is not a card. */
  Card: CardFields | null
  /** The gateway's express wallet; null if it has none. */
  ExpressComponent: typeof ExpressSection | null
  /** Called when the price has changed, to reload the offer. */
  onChanged: () => void
}

/**
 * The order form, with the site's fields for e-mail and name, and the gateway's fields for the card. The button is
 * beside the full price.
 */
export function OrderForm({
  params,
  choice: initialChoice,
  Card,
  ExpressComponent,
  onChanged,
}: OrderFormProps) {
  const { t } = useTranslation()
  // Whether the user is eligible for the introductory price is known only after they have entered an e-mail address.
  const [usesRegularPrice, setUsesRegularPrice] = useState(false)
  const choice = usesRegularPrice ? { ...initialChoice, ...initialChoice.regular } : initialChoice
  const onPriceChanged = (cents: number) =>
    initialChoice.regular?.cents === cents ? setUsesRegularPrice(true) : onChanged()
  const isCard = Card !== null
  const [immediateDelivery, setImmediateDelivery] = useState(false)
  const canSaveCard = isCard && choice.kind !== 'plan'
  const [save, setSave] = useState(false)
  const cancellationText = choice.kind === 'plan' ? t('pay.cancelAnyTime') : ''
  // The unpaid period of a subscription is not a new contract, so it has no right of withdrawal. A top-up delivers
  // nothing before it is spent, so it needs no consent to immediate delivery.
  const hasWithdrawalRight = !choice.owed && choice.kind !== 'top_up'
  const terms = [
    choice.terms,
    cancellationText,
    hasWithdrawalRight && !immediateDelivery ? t('order.withdrawal') : '',
  ]
    .filter(Boolean)
    .join(' ')
  const consentText = immediateDelivery ? ` [x] ${t('order.immediateConsent')}` : ''
  const label = isCard ? payLabel(t, choice) : (price: string) => t('order.continueWallet', { price })
  const [card, setCard] = useState<CardEntry | null>(null)
  const { step, problem, submit, checked } = usePayment(
    params,
    {
      acceptedText: acceptedTextOf(choice, terms + consentText, label),
      saveText: canSaveCard && save ? `[x] ${t('order.save')} ${t('order.saveText')}` : undefined,
      price: choice,
      immediateDelivery,
      onPriceChanged,
      onOwned: () => leaveOwned(params),
    },
    card,
  )
  const details = useBillingDetails(isCard ? ['email', 'first', 'last'] : ['email'])
  const orderFromForm = step.at === 'done' ? step.result : null
  useEffect(() => {
    if (orderFromForm) rememberPayer(details.value)
  }, [orderFromForm, details.value])
  const [orderFromWallet, setOrderFromWallet] = useState<Order | null>(null)
  const done = orderFromForm ?? orderFromWallet
  useReportOrder(done)
  if (done) return <OrderDone order={done} />
  return (
    <CardForm
      step={step}
      card={isCard ? card : undefined}
      details={details}
      onSubmit={(value) => void submit(value)}
      onChecked={(made) => void checked(made)}
    >
      <PurchaseSummary choice={choice} />
      {ExpressComponent && (
        <ExpressComponent
          params={params}
          choice={choice}
          terms={terms}
          acceptedText={acceptedTextOf(choice, terms + consentText, expressLabel(t))}
          immediateDelivery={immediateDelivery}
          onDone={setOrderFromWallet}
          onPriceChanged={onPriceChanged}
          onOwned={() => leaveOwned(params)}
        />
      )}
      <Field
        {...details.field('email')}
        label={t('order.email')}
        hint={t('order.emailHint')}
        refusal={problem?.field === 'email' ? problem.message : ''}
        type="email"
        inputMode="email"
        autoComplete="email"
      />
      {Card && <CardSection Card={Card} details={details} problem={problem} onEntry={setCard} />}
      {canSaveCard && <SaveChoice checked={save} onChange={setSave} />}
      <ProblemNote problem={problem} />
      {hasWithdrawalRight && (
        <label className={styles.atOnce}>
          <input
            type="checkbox"
            checked={immediateDelivery}
            onChange={(event) => setImmediateDelivery(event.target.checked)}
          />
          {t('order.immediateConsent')}
        </label>
      )}
      <SubmitBar
        cents={choice.cents}
        currency={choice.currency}
        label={label}
        terms={terms}
        note={params.gateway === 'sandbox' ? t('pay.sandbox') : ''}
        busy={step.at === 'working' ? t('order.working') : ''}
        disabled={isCard && !card}
      />
    </CardForm>
  )
}

/** The checkbox for saving the card. It is never preselected, because saving needs explicit consent. */
function SaveChoice({ checked, onChange }: { checked: boolean; onChange: (save: boolean) => void }) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <div className={styles.save}>
      <label className={styles.atOnce}>
        <input
          type="checkbox"
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
          aria-describedby={id}
        />
        {t('order.save')}
      </label>
      <p id={id}>{t('order.saveText')}</p>
    </div>
  )
}

function PurchaseSummary({ choice }: { choice: Choice }) {
  return (
    <div className={styles.bought}>
      <p className={styles.name}>{choice.name}</p>
      <p className={styles.price}>{money(choice.cents, choice.currency)}</p>
      <p className={styles.text}>{choice.text}</p>
    </div>
  )
}

/** Reports the order to the page around the frame. Without a frame, opens the next step. */
function useReportOrder(order: Order | null): void {
  useEffect(() => {
    if (!order) return
    if (isFramed()) reportOrder(order)
    else if (order.next.type === 'redirect' && order.next.url) location.assign(order.next.url)
    else location.assign(`/order/result?order_id=${encodeURIComponent(order.id)}`)
  }, [order])
}

/** Shown briefly until the page around the frame continues. */
function OrderDone({ order }: { order: Order }) {
  const { t } = useTranslation()
  return (
    <p className={styles.nothing} role="status">
      {order.status === 'paid' ? t('order.paid') : t('order.working')}
    </p>
  )
}

/**
 * Leaves the form because the user already owns the item. The page around the frame then plays the item. Without a
 * frame, opens the item's page.
 */
function leaveOwned({ kind, id }: CheckoutParams): void {
  if (isFramed()) return reportOwned()
  location.assign(kind === 'video' ? paths.video.to(id) : paths.my.to())
}
