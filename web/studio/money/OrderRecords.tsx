import type { OrderDetails } from '#contract/studio/orders.ts'
import { money } from '#web/lib/format-money.ts'
import { useTexts } from '#web/studio/texts.ts'
import { EntitlementTable } from '#web/studio/people/EntitlementTable.tsx'
import { Panel } from '#web/studio/ui/Page.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import { declineText, gatewayNames } from './order-copy.ts'
import styles from './money.module.css'

type Attempt = OrderDetails['attempts'][number]
type Refund = OrderDetails['refunds'][number]
type WebhookEvent = OrderDetails['webhook_events'][number]
type Line = OrderDetails['ledger'][number]

/** The payments, refunds, disputes and other records of an order. */
export function OrderRecords({ file }: { file: OrderDetails }) {
  return (
    <>
      <Attempts attempts={file.attempts} currency={file.order.currency} />
      {file.refunds.length > 0 && <Refunds refunds={file.refunds} currency={file.order.currency} />}
      <Entitlements file={file} />
      <Ledger lines={file.ledger} />
      <WebhookEvents events={file.webhook_events} />
    </>
  )
}

function Attempts({ attempts, currency }: { attempts: Attempt[]; currency: string }) {
  const { t, language } = useTexts()
  const columns = [
    { title: t('money.try'), cell: ({ number }: Attempt) => number },
    {
      title: t('money.status'),
      cell: ({ status, decline_code }: Attempt) =>
        [t(`money.tryState.${status}`), ...(decline_code ? [declineText(decline_code, t)] : [])].join(': '),
    },
    { title: t('money.gateway'), cell: ({ gateway }: Attempt) => gatewayNames[gateway] },
    { title: t('money.reference'), cell: ({ reference }: Attempt) => reference ?? '–' },
    { title: t('money.when'), cell: ({ started_at }: Attempt) => formatTime(started_at, language) },
    { title: t('money.nextPoll'), cell: ({ next_poll_at }: Attempt) => formatTime(next_poll_at, language) },
    {
      title: t('money.dispute'),
      cell: ({ dispute_status, dispute_debited_cents }: Attempt) =>
        dispute_status
          ? `${t(`money.disputeState.${dispute_status}`)}, ${money(dispute_debited_cents, currency)}`
          : '–',
    },
  ]
  return (
    <Panel title={t('money.attempts')}>
      <Table
        caption={t('money.attempts')}
        columns={columns}
        rows={attempts}
        keyOf={({ id }) => id}
        empty={t('money.noAttempts')}
      />
    </Panel>
  )
}

function Refunds({ refunds, currency }: { refunds: Refund[]; currency: string }) {
  const { t, language } = useTexts()
  const columns = [
    { title: t('money.when'), cell: ({ created_at }: Refund) => formatTime(created_at, language) },
    {
      title: t('money.amount'),
      figures: true,
      cell: ({ amount_cents }: Refund) => money(amount_cents, currency),
    },
    { title: t('money.status'), cell: ({ status }: Refund) => t(`money.refundState.${status}`) },
    { title: t('money.reason'), cell: ({ reason }: Refund) => reason },
  ]
  return (
    <Panel title={t('money.refunds')}>
      <Table
        caption={t('money.refunds')}
        columns={columns}
        rows={refunds}
        keyOf={({ id }) => id}
        empty={null}
      />
    </Panel>
  )
}

function Entitlements({ file: { entitlements, renews_at } }: { file: OrderDetails }) {
  const { t } = useTexts()
  return (
    <Panel title={t('money.gave')}>
      <EntitlementTable entitlements={entitlements} renewsAt={renews_at} empty={t('money.gaveNothing')} />
    </Panel>
  )
}

function Ledger({ lines }: { lines: Line[] }) {
  const { t, language } = useTexts()
  const columns = [
    { title: t('money.account'), cell: ({ account }: Line) => account },
    {
      title: t('money.debit'),
      figures: true,
      cell: ({ amount_cents, currency }: Line) => (amount_cents > 0 ? money(amount_cents, currency) : '–'),
    },
    {
      title: t('money.credit'),
      figures: true,
      cell: ({ amount_cents, currency }: Line) => (amount_cents < 0 ? money(-amount_cents, currency) : '–'),
    },
    {
      title: t('money.transaction'),
      cell: ({ transaction_id }: Line) => <span className={styles.id}>{transaction_id}</span>,
    },
    { title: t('money.when'), cell: ({ at }: Line) => formatTime(at, language) },
  ]
  return (
    <Panel title={t('money.ledger')}>
      <Table
        caption={t('money.ledger')}
        columns={columns}
        rows={lines}
        keyOf={({ id }) => id}
        empty={t('money.noLedger')}
      />
    </Panel>
  )
}

function WebhookEvents({ events }: { events: WebhookEvent[] }) {
  const { t, language } = useTexts()
  const columns = [
    { title: t('money.event'), cell: ({ event_id }: WebhookEvent) => event_id },
    { title: t('money.gateway'), cell: ({ gateway }: WebhookEvent) => gatewayNames[gateway] },
    {
      title: t('money.received'),
      cell: ({ received_at }: WebhookEvent) => formatTime(received_at, language),
    },
    { title: t('money.applied'), cell: ({ applied_at }: WebhookEvent) => formatTime(applied_at, language) },
  ]
  return (
    <Panel title={t('money.webhookEvents')}>
      <Table
        caption={t('money.webhookEvents')}
        columns={columns}
        rows={events}
        keyOf={({ gateway, event_id }) => `${gateway} ${event_id}`}
        empty={t('money.noWebhookEvents')}
      />
    </Panel>
  )
}
