import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { orderNumber } from '#contract/order-number.ts'
import { syncOrder, getOrder, refundOrder, type OrderDetails } from '#contract/studio/orders.ts'
import { getCustomer } from '#contract/studio/customers.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { NotFound } from '#web/studio/NotFound.tsx'
import { isNotFoundOrForbidden, usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { AuditLog } from '#web/studio/team/AuditLog.tsx'
import { DescriptionList } from '#web/studio/ui/DescriptionList.tsx'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { formatTime } from '#web/studio/format.ts'
import { OrderRecords } from './OrderRecords.tsx'
import { gatewayNames, productName, ordersPath } from './order-copy.ts'
import { RefundForm } from './RefundForm.tsx'
import { OrderState } from './OrderState.tsx'
import styles from './payments.module.css'

/** The page of one order: all its records, and actions such as a refund. */
export function OrderPage({ id }: { id: string }) {
  const { t, language } = useTexts()
  const { state: filters } = useLocation()
  const details = useQuery({
    queryKey: ['order', id, language],
    queryFn: ({ signal }) => call(getOrder, { query: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.webhook_events.some(isBeingApplied) ? pollMs : false),
  })
  if (isNotFoundOrForbidden(details.error)) return <NotFound />
  if (details.isLoadingError) return <LoadError onRetry={() => void details.refetch()} />
  return (
    <Page
      title={details.data ? productName(t, details.data.order) : t('payments.order')}
      lead={
        <PageLink to={`${ordersPath}${typeof filters === 'string' ? filters : ''}`}>
          {t('payments.allOrders')}
        </PageLink>
      }
      actions={details.data && <Actions details={details.data} />}
    >
      {details.data ? <Sections details={details.data} /> : <div className={styles.wait} aria-busy="true" />}
    </Page>
  )
}

const pollMs = 2000
const applyTimeoutMs = 60_000

/**
 * Returns whether a webhook event was received just now and is still being applied. An older event that is not applied
 * waits for a retry.
 */
const isBeingApplied = ({ applied_at, received_at }: OrderDetails['webhook_events'][number]) =>
  // In test mode, the site's clock may be ahead of the browser's.
  applied_at === null && Math.abs(Date.now() - Date.parse(received_at)) < applyTimeoutMs

function Sections({ details }: { details: OrderDetails }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  return (
    <>
      <Summary details={details} />
      <OrderRecords details={details} />
      {isAllowed(listAuditEvents) && (
        <Panel title={t('payments.auditLog')}>
          <AuditLog subject={details.order.id} />
        </Panel>
      )}
    </>
  )
}

function Summary({ details }: { details: OrderDetails }) {
  const { t, language } = useTexts()
  const isAllowed = usePermissions()
  const { order } = details
  const buyer = order.email ?? order.user_id
  return (
    <DescriptionList
      facts={[
        { name: t('payments.status'), value: <OrderState order={order} /> },
        { name: t('payments.amount'), value: money(order.amount_cents, order.currency) },
        { name: t('payments.refunded'), value: money(order.refunded_cents, order.currency) },
        ...(details.unspent_cents === undefined
          ? []
          : [{ name: t('payments.unspent'), value: money(details.unspent_cents, order.currency) }]),
        { name: t('payments.gateway'), value: gatewayNames[order.gateway] },
        {
          name: t('payments.buyer'),
          value: isAllowed(getCustomer) ? (
            <PageLink to={`/studio/customers/${order.user_id}`}>{buyer}</PageLink>
          ) : (
            buyer
          ),
        },
        { name: t('payments.number'), value: orderNumber(order.id) },
        { name: t('payments.id'), value: <code>{order.id}</code> },
        { name: t('payments.date'), value: formatTime(order.created_at, language) },
        { name: t('payments.paidAt'), value: formatTime(order.paid_at, language) },
        ...(details.restored_at === null
          ? []
          : [{ name: t('payments.restoredAt'), value: formatTime(details.restored_at, language) }]),
        ...(details.period_no === null ? [] : [{ name: t('payments.period'), value: details.period_no + 1 }]),
        ...(details.consent_text === null
          ? []
          : [{ name: t('payments.consentText'), value: details.consent_text, wide: true }]),
      ]}
    />
  )
}

function Actions({ details }: { details: OrderDetails }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const [refunding, setRefunding] = useState(false)
  const check = useCommand(syncOrder, null)
  const checkPayment = async () => {
    const result = await check.run({ id: details.order.id })
    if (result) notify(t(result.settled ? 'payments.synced' : 'payments.syncFailed'))
  }
  return (
    <>
      {isAllowed(syncOrder) && (
        <Button variant="quiet" disabled={check.busy} onClick={() => void checkPayment()}>
          {t('payments.sync')}
        </Button>
      )}
      {isAllowed(refundOrder) && details.refundable_cents > 0 && (
        <Button variant="danger" onClick={() => setRefunding(true)}>
          {t('payments.refund')}
        </Button>
      )}
      {refunding && <RefundForm details={details} onClose={() => setRefunding(false)} />}
    </>
  )
}
