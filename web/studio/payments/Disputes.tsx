import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { disputeStates, listDisputes, type Dispute } from '#contract/studio/orders.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { EmailText } from '#web/studio/ui/EmailText.tsx'
import { ExternalLink, PageLink } from '#web/studio/ui/PageLink.tsx'
import { formatDate, formatTime } from '#web/studio/format.ts'
import { gatewayNames, productName, reasonText } from './order-copy.ts'
import styles from './payments.module.css'

/** The disputed payments. Operators respond to disputes at the gateway, not here. */
export function Disputes() {
  const { t, language } = useTexts()
  const [params, setParams] = useSearchParams()
  const state = disputeStates.find((each) => each === params.get('state')) ?? 'open'
  const disputes = useInfiniteQuery({
    queryKey: ['disputes', state, language],
    queryFn: ({ pageParam, signal }) =>
      call(listDisputes, { query: { state, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const columns = [
    {
      title: t('payments.order'),
      cell: ({ order }: Dispute) => (
        <PageLink to={`/studio/payments/orders/${order.id}`}>{productName(t, order)}</PageLink>
      ),
    },
    {
      title: t('payments.disputed'),
      figures: true,
      cell: ({ disputed_cents, order }: Dispute) => money(disputed_cents, order.currency),
    },
    { title: t('payments.disputeReason'), cell: ({ reason }: Dispute) => reasonText(reason, t) },
    { title: t('payments.respondBy'), cell: ({ respond_by }: Dispute) => formatTime(respond_by, language) },
    {
      title: t('payments.buyer'),
      cell: ({ order }: Dispute) => (
        <span className={styles.id}>
          <EmailText text={order.email ?? order.user_id} />
        </span>
      ),
    },
    { title: t('payments.paidAt'), cell: ({ started_at }: Dispute) => formatDate(started_at, language) },
    {
      title: t('payments.gateway'),
      cell: ({ order, gateway_url }: Dispute) =>
        gateway_url ? (
          <ExternalLink href={gateway_url}>
            {t('payments.respondAt', { gateway: gatewayNames[order.gateway] })}
          </ExternalLink>
        ) : (
          gatewayNames[order.gateway]
        ),
    },
  ]
  return (
    <>
      <div className={styles.filters}>
        <SelectField
          label={t('payments.status')}
          value={state}
          options={disputeStates.map((value) => ({ value, label: t(`payments.disputeState.${value}`) }))}
          onChoose={(chosen) => setParams({ state: chosen })}
        />
      </div>
      <p className={styles.hint}>{t('payments.disputeHint')}</p>
      <div className={styles.list} aria-busy={disputes.isPending}>
        {disputes.data && (
          <Table
            caption={t('payments.disputes')}
            columns={columns}
            rows={disputes.data.pages.flatMap(({ list }) => list)}
            keyOf={({ attempt_id }) => attempt_id}
            empty={t('payments.noDisputes')}
          />
        )}
        <ListFooter pages={disputes} empty={null} />
      </div>
    </>
  )
}
