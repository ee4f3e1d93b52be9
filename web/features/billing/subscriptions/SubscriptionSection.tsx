import { useQuery } from '@tanstack/react-query'
import { useState, type ComponentType } from 'react'
import { Link } from 'react-router'
import type { OfferedGateway } from '#contract/billing.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { notify } from '#web/lib/notify.ts'
import { orderFormPath, paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { methodName } from '#web/features/billing/payment-methods/method-copy.ts'
import { plansQuery } from '#web/features/billing/payments/queries.ts'
import { Subscription } from './Subscription.tsx'
import { useMethodChangeResult } from '#web/features/billing/payment-methods/use-method-change-result.ts'
import { paymentMethodsFor } from '#web/features/billing/payment-methods/PaymentMethodPicker.tsx'

/**
 * The subscription in the member area: its payment method, a button that changes the method, and a link to pay after a
 * failed renewal.
 */
export function SubscriptionSection() {
  const { t } = useTranslation()
  const { data: user } = useQuery(userQuery)
  useMethodChangeResult()
  if (!user?.membership.plan) return null
  const { status, plan, owed, cancel_at_period_end: cancelled } = user.membership
  const method = methodName(t, user.membership)
  return (
    <Subscription
      note={method && <p>{t('method.chargedTo', { method })}</p>}
      actions={
        <>
          {status === 'past_due' && <PayNow plan={(owed ?? plan).id} takenBy={owed?.gateways} />}
          {!cancelled && <ChangeMethodButton />}
        </>
      }
    />
  )
}

/** Opens the form for another card or wallet. The form's code is loaded on demand. */
function ChangeMethodButton() {
  const { t } = useTranslation()
  const [Form, setForm] = useState<ComponentType<{ onClose: () => void }> | null>(null)
  const open = () => {
    import('#web/features/billing/payment-methods/ChangeMethod.tsx')
      .then(({ ChangeMethod }) => setForm(() => ChangeMethod))
      .catch(() => notify(t('list.failed')))
  }
  return (
    <>
      <Button variant="quiet" onClick={open}>
        {t('method.title')}
      </Button>
      {Form && <Form onClose={() => setForm(null)} />}
    </>
  )
}

/**
 * Links to the payment of the unpaid period, with the first method (cards come first) that accepts its price. Links to
 * the plans if there is no such method.
 */
function PayNow({ plan, takenBy }: { plan: string; takenBy: string[] | undefined }) {
  const { t, i18n } = useTranslation()
  const { data, isPending } = useQuery(plansQuery)
  if (isPending) return <Button disabled>{t('shopping.payNow')}</Button>
  const accepts = ({ id }: OfferedGateway) => takenBy?.includes(id) ?? true
  const method = data && paymentMethodsFor('plan', data.gateways).find(accepts)
  if (!method)
    return (
      <Link className={buttonClass('main')} to={paths.shopping.to()}>
        {t('shopping.payNow')}
      </Link>
    )
  const form = orderFormPath({ kind: 'plan', id: plan, gateway: method.id, method: method.kind })
  return (
    <a className={buttonClass('main')} href={`${form}&lang=${i18n.language}`}>
      {t('shopping.payNow')}
    </a>
  )
}
