import { useEffect, useState } from 'react'
import type { PaymentMethodChange } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { SubmitBar } from '#web/ui/forms/SubmitBar.tsx'
import { CardForm } from './CardForm.tsx'
import type { CardEntry, CardFields } from '#web/features/billing/payments/card-entry.ts'
import { CardSection } from './CardSection.tsx'
import { isFramed, reportChange } from '#web/features/billing/payments/order-report.ts'
import { ProblemNote } from '#web/features/billing/payments/ProblemNote.tsx'
import { useMethodChange } from './use-method-change.ts'
import { useBillingDetails } from '#web/features/billing/payments/use-billing-details.ts'
import type { MethodFormParams } from '#web/features/billing/payments/checkout-params.ts'
import { methodName, nextChargeText } from '#web/features/billing/payment-methods/method-copy.ts'
import styles from '#web/features/billing/payments/order-page.module.css'

interface MethodFormProps {
  params: MethodFormParams
  membership: Membership
  /** The gateway's card fields; null if the method is not a card. */
  Card: CardFields | null
}

/** Changes the payment method of a subscription, with the fields of a payment; nothing is charged now. */
export function MethodForm({ params, membership, Card }: MethodFormProps) {
  const { t } = useTranslation()
  const isCard = Card !== null
  const [card, setCard] = useState<CardEntry | null>(null)
  const { step, problem, submit, checked } = useMethodChange(params, card)
  const details = useBillingDetails(isCard ? ['first', 'last'] : [])
  useReportChange(step.at === 'done' ? step.result : null)
  const wallet = t(params.gateway === 'paypal' ? 'pay.paypal' : 'pay.wallet')
  const label = isCard ? t('method.save') : t('method.continue', { wallet })
  if (step.at === 'done')
    return (
      <p className={styles.nothing} role="status">
        {t(step.result.status === 'saved' ? 'method.saved' : 'method.working')}
      </p>
    )
  return (
    <CardForm
      step={step}
      card={isCard ? card : undefined}
      details={details}
      onSubmit={(value) => void submit(value)}
      onChecked={(made) => void checked(made)}
    >
      <div className={styles.bought}>
        <p className={styles.text}>{t('method.current')}</p>
        <p className={styles.name}>{methodName(t, membership) || t('method.none')}</p>
      </div>
      {Card && <CardSection Card={Card} details={details} problem={problem} onEntry={setCard} />}
      {!Card && <p className={styles.walletText}>{t('method.walletText')}</p>}
      <ProblemNote problem={problem} />
      <SubmitBar
        cents={0}
        currency={membership.plan?.currency ?? ''}
        label={() => label}
        terms={`${t('shopping.notChargedNow')} ${nextChargeText(t, membership)}`}
        note={params.gateway === 'sandbox' ? t('pay.sandbox') : ''}
        busy={step.at === 'working' ? t('method.working') : ''}
        disabled={isCard && !card}
      />
    </CardForm>
  )
}

/** Reports the change to the page around the frame. Without a frame, opens the next step. */
function useReportChange(change: PaymentMethodChange | null): void {
  useEffect(() => {
    if (!change) return
    if (isFramed()) reportChange(change)
    else location.assign(change.next.url ?? paths.my.to())
  }, [change])
}
