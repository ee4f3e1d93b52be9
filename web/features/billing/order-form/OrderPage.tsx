import { lazy, Suspense, useEffect, useState } from 'react'
import type { Membership } from '#contract/members.ts'
import type { Translate } from '#web/i18n/index.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import type { CardFields } from '#web/features/billing/payments/card-entry.ts'
import { ChangePlan } from '#web/features/billing/subscriptions/ChangePlan.tsx'
import type { ExpressSection } from '#web/features/billing/express/ExpressSection.tsx'
import { loadCardFields, loadExpress } from './load-card-fields.ts'
import { isFramed, reportOwned } from '#web/features/billing/payments/order-report.ts'
import { MethodForm } from './MethodForm.tsx'
import { OrderThreeDSecure } from './OrderThreeDSecure.tsx'
import { OrderForm } from './OrderForm.tsx'
import {
  isOwned,
  loadMembership,
  loadChoice,
  readThreeDSecureOrderId,
  readExpressGateway,
  readMethodFormParams,
  readCheckoutParams,
  type MethodFormParams,
  type PlanChange,
  type CheckoutParams,
} from '#web/features/billing/payments/checkout-params.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'
import styles from '#web/features/billing/payments/order-page.module.css'

const params = readCheckoutParams(location.search)
const methodParams = readMethodFormParams(location.search)
const threeDSecureOrderId = readThreeDSecureOrderId(location.search)
const express = readExpressGateway(location.search)

const ExpressPage = lazy(async () => ({
  default: (await import('#web/features/billing/express/ExpressPage.tsx')).ExpressPage,
}))

/** The only document that may connect to gateways. Shows an express wallet (in a frame) or the card form. */
export function OrderPage() {
  if (express === null) return <FormPage />
  return (
    <Suspense>
      <ExpressPage gateway={express} />
    </Suspense>
  )
}

/** The card form, in a sheet of the video page or as a page of its own. */
function FormPage() {
  const { t } = useTranslation()
  const { form, failed, load } = useLoadedForm()
  const title = t(methodParams ? 'method.title' : 'order.title')
  return (
    <main className={styles.page} data-framed={isFramed()} aria-label={title}>
      {isFramed() ? <h1 className="hidden-text">{title}</h1> : <h1 className={styles.title}>{title}</h1>}
      {threeDSecureOrderId !== null && <OrderThreeDSecure orderId={threeDSecureOrderId} />}
      {failed && <LoadError onRetry={load} />}
      {!failed && form === undefined && (
        <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
      )}
      {form === null && threeDSecureOrderId === null && <NothingToPay />}
      {form && <Form form={form} onChanged={load} />}
    </main>
  )
}

function Form({ form, onChanged }: { form: LoadedForm; onChanged: () => void }) {
  if ('choice' in form) return params && <OrderForm params={params} {...form} onChanged={onChanged} />
  if ('plan' in form) return <PlanChangeForm {...form} />
  return methodParams && <MethodForm params={methodParams} {...form} />
}

/** Shown if the item is unknown or already owned. An owned item is reported to the page around the frame. */
function NothingToPay() {
  const { t } = useTranslation()
  useEffect(() => {
    if (params && isFramed())
      void isOwned(params).then(
        (owned) => owned && reportOwned(),
        () => undefined,
      )
  }, [])
  return (
    <div className={styles.nothing}>
      <p>{t('order.nothingToPay')}</p>
      <a className={buttonClass('main')} href={paths.home.to()} target="_top">
        {t('list.browseDramas')}
      </a>
    </div>
  )
}

/** Changes the plan, and then opens the member area, in the page around the frame if there is one. */
function PlanChangeForm(change: PlanChange) {
  const onPlanned = () => (isFramed() ? parent : window).location.assign(paths.my.to())
  return (
    params && (
      <ChangePlan {...change} method={{ id: params.gateway, kind: params.method }} onPlanned={onPlanned} />
    )
  )
}

/** A payment, a change of plan, or a change of payment method. */
type LoadedForm =
  | { choice: Choice; Card: CardFields | null; ExpressComponent: typeof ExpressSection | null }
  | PlanChange
  | { membership: Membership; Card: CardFields | null }

/** Loads the form's data. The card fields load at the same time, because most visitors have something to pay. */
async function loadForm(t: Translate, checkoutParams: CheckoutParams): Promise<LoadedForm | null> {
  const [loaded, Card, ExpressComponent] = await Promise.all([
    loadChoice(t, checkoutParams),
    loadCardFields(checkoutParams),
    loadExpress(checkoutParams),
  ])
  return loaded && 'plan' in loaded ? loaded : loaded && { choice: loaded, Card, ExpressComponent }
}

async function loadMethodForm(wanted: MethodFormParams): Promise<LoadedForm | null> {
  const [membership, Card] = await Promise.all([loadMembership(), loadCardFields(wanted)])
  return membership && { membership, Card }
}

/** Loads the form; null if there is nothing to pay. */
function useLoadedForm() {
  const { t } = useTranslation()
  const formParams = params ?? methodParams
  const [form, setForm] = useState<LoadedForm | null | undefined>(formParams ? undefined : null)
  const [failed, setFailed] = useState(false)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    const loading = params ? loadForm(t, params) : methodParams && loadMethodForm(methodParams)
    if (!loading) return
    setFailed(false)
    loading.then(setForm, () => setFailed(true))
  }, [t, tries])
  return { form, failed, load: () => setTries((count) => count + 1) }
}
