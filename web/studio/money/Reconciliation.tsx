import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import {
  getReconciliation,
  runReconciliation,
  type Mismatch,
  type Reconciliation as Reconciled,
} from '#contract/studio/orders.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/money.ts'
import { Button } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Panel } from '#web/studio/ui/Page.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { timeWords } from '#web/studio/words.ts'
import { gatewayNames } from './order-words.ts'
import styles from './money.module.css'

type Total = Reconciled['totals'][number]
type Compared = Reconciled['gateways'][number]

/** Whether the gateways say the same as our books, and a day's money. */
export function Reconciliation() {
  const { t } = useTexts()
  const [params, setParams] = useSearchParams()
  const [today] = useState(() => new Date().toISOString().slice(0, 10))
  const day = params.get('day') ?? today
  const found = useQuery({
    queryKey: ['reconciliation', day],
    queryFn: ({ signal }) => call(getReconciliation, { query: { day }, signal }),
  })
  if (found.isError) return <CouldNotLoad onRetry={() => void found.refetch()} />
  if (!found.data) return <div className={styles.wait} aria-busy="true" />
  return (
    <>
      <Mismatches found={found.data} />
      <Panel
        title={t('money.day')}
        actions={
          <label className={styles.day}>
            <span>{t('money.dayUtc')}</span>
            <input
              type="date"
              value={day}
              onChange={({ target: { value } }) => value && setParams({ day: value })}
            />
          </label>
        }
      >
        <Totals totals={found.data.totals} />
      </Panel>
    </>
  )
}

function Mismatches({ found: { mismatches, gateways } }: { found: Reconciled }) {
  const { t, language } = useTexts()
  const mayRun = useMay()(runReconciliation)
  const { run, busy } = useCommand(runReconciliation)
  const lastLook = ({ id, reconciled_to }: Compared) =>
    `${gatewayNames[id]}: ${reconciled_to ? timeWords(reconciled_to, language) : t('money.never')}`
  const columns = [
    { title: t('money.what'), cell: ({ kind }: Mismatch) => t(`money.mismatch.${kind}`) },
    { title: t('money.gateway'), cell: ({ gateway }: Mismatch) => gatewayNames[gateway] },
    { title: t('money.reference'), cell: ({ reference }: Mismatch) => reference ?? '–' },
    {
      title: t('money.amount'),
      figures: true,
      cell: ({ amount_cents, currency }: Mismatch) =>
        amount_cents !== null && currency ? money(amount_cents, currency) : '–',
    },
    {
      title: t('money.order'),
      cell: ({ order_id }: Mismatch) =>
        order_id ? <PageLink to={`/studio/money/orders/${order_id}`}>{order_id}</PageLink> : '–',
    },
    { title: t('money.sinceWhen'), cell: ({ since }: Mismatch) => timeWords(since, language) },
  ]
  return (
    <Panel
      title={t('money.mismatches')}
      actions={
        mayRun && (
          <Button look="quiet" disabled={busy} onClick={() => void run({})}>
            {t(busy ? 'money.comparing' : 'money.compare')}
          </Button>
        )
      }
    >
      <p className={styles.hint}>
        {t('money.compared')} {gateways.map(lastLook).join(' · ')}
      </p>
      <Table
        caption={t('money.mismatches')}
        columns={columns}
        rows={mismatches}
        keyOf={({ kind, gateway, reference, order_id, since }) =>
          [kind, gateway, reference, order_id, since].join(' ')
        }
        empty={t('money.noMismatch')}
      />
    </Panel>
  )
}

function Totals({ totals }: { totals: Total[] }) {
  const { t } = useTexts()
  const columns = [
    { title: t('money.what'), cell: ({ kind }: Total) => t(`money.moved.${kind}`) },
    {
      title: t('money.gateway'),
      cell: ({ gateway }: Total) =>
        Object.entries(gatewayNames).find(([id]) => id === gateway)?.[1] ?? gateway,
    },
    { title: t('money.transactions'), figures: true, cell: ({ transactions }: Total) => transactions },
    {
      title: t('money.amount'),
      figures: true,
      cell: ({ amount_cents, currency }: Total) => money(amount_cents, currency),
    },
  ]
  return (
    <Table
      caption={t('money.day')}
      columns={columns}
      rows={totals}
      keyOf={({ gateway, kind, currency }) => `${gateway} ${kind} ${currency}`}
      empty={t('money.noMoney')}
    />
  )
}
