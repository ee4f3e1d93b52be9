import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { orderNumber } from '#contract/order-number.ts'
import {
  getReconciliation,
  runReconciliation,
  type Discrepancy,
  type Reconciliation as Reconciled,
} from '#contract/studio/orders.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Panel } from '#web/studio/ui/Page.tsx'
import { Table, type Column } from '#web/studio/ui/Table.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { formatTime } from '#web/studio/format.ts'
import { gatewayNames } from './order-copy.ts'
import styles from './payments.module.css'

type Total = Reconciled['totals'][number]
type ComparedGateway = Reconciled['gateways'][number]
type Balance = Reconciled['balances'][number]

/** Shows the discrepancies between our records and those of the gateways, and the totals of a day. */
export function Reconciliation() {
  const { t } = useTexts()
  const [params, setParams] = useSearchParams()
  const [today] = useState(() => new Date().toISOString().slice(0, 10))
  const day = params.get('day') ?? today
  const found = useQuery({
    queryKey: ['reconciliation', day],
    queryFn: ({ signal }) => call(getReconciliation, { query: { day }, signal }),
  })
  if (found.isLoadingError) return <LoadError onRetry={() => void found.refetch()} />
  if (!found.data) return <div className={styles.wait} aria-busy="true" />
  return (
    <>
      <Discrepancies found={found.data} />
      <Panel
        title={t('payments.day')}
        actions={
          <label className={styles.day}>
            <span>{t('payments.dayUtc')}</span>
            <input
              type="date"
              value={day}
              onChange={({ target: { value } }) => value && setParams({ day: value })}
            />
          </label>
        }
      >
        <GatewayBalances found={found.data} />
        <Totals totals={found.data.totals} />
      </Panel>
    </>
  )
}

function Discrepancies({ found: { discrepancies, gateways } }: { found: Reconciled }) {
  const { t, language } = useTexts()
  const mayRun = usePermissions()(runReconciliation)
  const { run, busy } = useCommand(runReconciliation, t('done.reconciled'))
  const lastComparison = ({ id, reconciled_until }: ComparedGateway) =>
    `${gatewayNames[id]} ${reconciled_until ? formatTime(reconciled_until, language) : t('payments.neverReconciled')}`
  const columns = [
    {
      title: t('payments.issue'),
      cell: (discrepancy: Discrepancy) => <DiscrepancyKind discrepancy={discrepancy} />,
    },
    { title: t('payments.gateway'), cell: ({ gateway }: Discrepancy) => gatewayNames[gateway] },
    { title: t('payments.reference'), cell: ({ reference }: Discrepancy) => reference ?? '–' },
    {
      title: t('payments.amount'),
      figures: true,
      cell: ({ amount_cents, currency }: Discrepancy) => moneyOrDash(amount_cents, currency),
    },
    ...amountColumns(t),
    {
      title: t('payments.order'),
      cell: ({ order_id }: Discrepancy) =>
        order_id ? (
          <PageLink to={`/studio/payments/orders/${order_id}`}>{orderNumber(order_id)}</PageLink>
        ) : (
          '–'
        ),
    },
    { title: t('payments.issueSince'), cell: ({ since }: Discrepancy) => formatTime(since, language) },
  ]
  return (
    <Panel
      title={t('payments.discrepancies')}
      actions={
        mayRun && (
          <Button variant="quiet" disabled={busy} onClick={() => void run({})}>
            {t(busy ? 'payments.reconciling' : 'payments.reconcile')}
          </Button>
        )
      }
    >
      <p className={styles.hint}>
        {t('payments.lastReconciled', { times: gateways.map(lastComparison).join(' · ') })}
      </p>
      <Table
        caption={t('payments.discrepancies')}
        columns={columns}
        rows={discrepancies}
        keyOf={({ kind, gateway, reference, order_id, since }) =>
          [kind, gateway, reference, order_id, since].join(' ')
        }
        empty={t('payments.noDiscrepancy')}
      />
    </Panel>
  )
}

/** The columns with the amount in our records and the amount at the gateway. */
const amountColumns = (
  t: Translate,
): Column<Pick<Discrepancy, 'ledger_cents' | 'gateway_cents' | 'currency'>>[] => [
  {
    title: t('payments.ledgerAmount'),
    figures: true,
    cell: ({ ledger_cents, currency }) => moneyOrDash(ledger_cents, currency),
  },
  {
    title: t('payments.gatewayAmount'),
    figures: true,
    cell: ({ gateway_cents, currency }) => moneyOrDash(gateway_cents, currency),
  },
]

const moneyOrDash = (cents: number | null, currency: string | null) =>
  cents !== null && currency ? money(cents, currency) : '–'

function DiscrepancyKind({ discrepancy: { kind, abandoned } }: { discrepancy: Discrepancy }) {
  const { t } = useTexts()
  return (
    <>
      {t(`payments.discrepancy.${kind}`)}
      {abandoned && <span className={styles.note}>{t('payments.checkAtGateway')}</span>}
    </>
  )
}

/** The totals of each gateway in our records and at the gateway, and whether they match. */
function GatewayBalances({ found: { balances, gateways } }: { found: Reconciled }) {
  const { t, language } = useTexts()
  if (balances.length === 0) return null
  const comparedUntil = (gateway: string) =>
    gateways.find(({ id }) => id === gateway)?.reconciled_until ?? null
  const columns = [
    { title: t('payments.gateway'), cell: ({ gateway }: Balance) => gatewayNames[gateway] },
    ...amountColumns(t),
    {
      title: t('payments.difference'),
      figures: true,
      cell: (balance: Balance) => <Difference balance={balance} />,
    },
    {
      title: t('payments.reconciledUpTo'),
      cell: ({ gateway }: Balance) => formatTime(comparedUntil(gateway), language),
    },
  ]
  return (
    <>
      <p className={styles.hint}>{t('payments.balanceHint')}</p>
      <Table
        caption={t('payments.balance')}
        columns={columns}
        rows={balances}
        keyOf={({ gateway, currency }) => `${gateway} ${currency}`}
        empty=""
      />
    </>
  )
}

function Difference({ balance: { ledger_cents, gateway_cents, currency } }: { balance: Balance }) {
  const { t } = useTexts()
  if (gateway_cents === null) return '–'
  if (gateway_cents === ledger_cents) return t('payments.noDifference')
  return <span className={styles.bad}>{money(gateway_cents - ledger_cents, currency)}</span>
}

function Totals({ totals }: { totals: Total[] }) {
  const { t } = useTexts()
  const columns = [
    {
      title: t('payments.transactionType'),
      cell: ({ kind }: Total) => t(`payments.transactionKind.${kind}`),
    },
    {
      title: t('payments.gateway'),
      cell: ({ gateway }: Total) =>
        Object.entries(gatewayNames).find(([id]) => id === gateway)?.[1] ?? gateway,
    },
    { title: t('payments.transactions'), figures: true, cell: ({ transactions }: Total) => transactions },
    {
      title: t('payments.amount'),
      figures: true,
      cell: ({ amount_cents, currency }: Total) => money(amount_cents, currency),
    },
  ]
  return (
    <Table
      caption={t('payments.day')}
      columns={columns}
      rows={totals}
      keyOf={({ gateway, kind, currency }) => `${gateway} ${kind} ${currency}`}
      empty={t('payments.noTransactions')}
    />
  )
}
