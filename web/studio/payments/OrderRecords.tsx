import type { OrderDetails } from '#contract/studio/orders.ts'
import { money } from '#web/lib/format-money.ts'
import { useTexts } from '#web/studio/texts.ts'
import { EntitlementTable } from '#web/studio/customers/EntitlementTable.tsx'
import { Panel } from '#web/studio/ui/Page.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import { declineText, gatewayNames } from './order-copy.ts'
import styles from './payments.module.css'

type Attempt = OrderDetails['attempts'][number]
type Refund = OrderDetails['refunds'][number]
type WebhookEvent = OrderDetails['webhook_events'][number]
type Line = OrderDetails['ledger'][number]

/** The payments, refunds, disputes and other records of an order. */
export function OrderRecords({ details }: { details: OrderDetails }) {
  return (
    <>
      <Attempts attempts={details.attempts} currency={details.order.currency} />
      {details.refunds.length > 0 && <Refunds refunds={details.refunds} currency={details.order.currency} />}
      <Entitlements details={details} />
      <Ledger lines={details.ledger} />
      <WebhookEvents events={details.webhook_events} />
    </>
  )
}

function Attempts({ attempts, currency }: { attempts: Attempt[]; currency: string }) {
  const { t, language } = useTexts()
  const columns = [
    { title: t('payments.attempt'), cell: ({ number }: Attempt) => number },
    {
      title: t('payments.status'),
      cell: ({ status, decline_code }: Attempt) =>
        [t(`payments.attemptState.${status}`), ...(decline_code ? [declineText(decline_code, t)] : [])].join(
          ': ',
        ),
    },
    { title: t('payments.gateway'), cell: ({ gateway }: Attempt) => gatewayNames[gateway] },
    {
      title: t('payments.reference'),
      cell: ({ reference }: Attempt) => <span className={styles.id}>{reference ?? '–'}</span>,
    },
    { title: t('payments.date'), cell: ({ started_at }: Attempt) => formatTime(started_at, language) },
    {
      title: t('payments.nextPoll'),
      cell: ({ next_poll_at }: Attempt) => formatTime(next_poll_at, language),
    },
    {
      title: t('payments.dispute'),
      cell: ({ dispute_status, dispute_debited_cents }: Attempt) =>
        dispute_status
          ? `${t(`payments.disputeState.${dispute_status}`)}, ${money(dispute_debited_cents, currency)}`
          : '–',
    },
  ]
  return (
    <Panel title={t('payments.attempts')}>
      <Table
        caption={t('payments.attempts')}
        columns={columns}
        rows={attempts}
        keyOf={({ id }) => id}
        empty={t('payments.noAttempts')}
      />
    </Panel>
  )
}

function Refunds({ refunds, currency }: { refunds: Refund[]; currency: string }) {
  const { t, language } = useTexts()
  const columns = [
    { title: t('payments.date'), cell: ({ created_at }: Refund) => formatTime(created_at, language) },
    {
      title: t('payments.amount'),
      figures: true,
      cell: ({ amount_cents }: Refund) => money(amount_cents, currency),
    },
    { title: t('payments.status'), cell: ({ status }: Refund) => t(`payments.refundState.${status}`) },
    { title: t('payments.reason'), cell: ({ reason }: Refund) => reason },
  ]
  return (
    <Panel title={t('payments.refunds')}>
      <Table
        caption={t('payments.refunds')}
        columns={columns}
        rows={refunds}
        keyOf={({ id }) => id}
        empty={null}
      />
    </Panel>
  )
}

function Entitlements({ details: { entitlements, renews_at } }: { details: OrderDetails }) {
  const { t } = useTexts()
  return (
    <Panel title={t('payments.access')}>
      <EntitlementTable entitlements={entitlements} renewsAt={renews_at} empty={t('payments.noAccess')} />
    </Panel>
  )
}

function Ledger({ lines }: { lines: Line[] }) {
  const { t, language } = useTexts()
  const columns = [
    { title: t('payments.account'), cell: ({ account }: Line) => account },
    {
      title: t('payments.debit'),
      figures: true,
      cell: ({ amount_cents, currency }: Line) => (amount_cents > 0 ? money(amount_cents, currency) : '–'),
    },
    {
      title: t('payments.credit'),
      figures: true,
      cell: ({ amount_cents, currency }: Line) => (amount_cents < 0 ? money(-amount_cents, currency) : '–'),
    },
    {
      title: t('payments.transaction'),
      cell: ({ transaction_id }: Line) => <span className={styles.id}>{transaction_id}</span>,
    },
    { title: t('payments.date'), cell: ({ at }: Line) => formatTime(at, language) },
  ]
  return (
    <Panel title={t('payments.ledger')}>
      <Table
        caption={t('payments.ledger')}
        columns={columns}
        rows={lines}
        keyOf={({ id }) => id}
        empty={t('payments.noLedger')}
      />
    </Panel>
  )
}

function WebhookEvents({ events }: { events: WebhookEvent[] }) {
  const { t, language } = useTexts()
  const columns = [
    { title: t('payments.event'), cell: ({ event_id }: WebhookEvent) => event_id },
    { title: t('payments.gateway'), cell: ({ gateway }: WebhookEvent) => gatewayNames[gateway] },
    {
      title: t('payments.received'),
      cell: ({ received_at }: WebhookEvent) => formatTime(received_at, language),
    },
    {
      title: t('payments.applied'),
      cell: ({ applied_at }: WebhookEvent) => formatTime(applied_at, language),
    },
  ]
  return (
    <Panel title={t('payments.webhookEvents')}>
      <Table
        caption={t('payments.webhookEvents')}
        columns={columns}
        rows={events}
        keyOf={({ gateway, event_id }) => `${gateway} ${event_id}`}
        empty={t('payments.noWebhookEvents')}
      />
    </Panel>
  )
}
