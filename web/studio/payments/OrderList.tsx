import { useInfiniteQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import type { QueryOf } from '#contract/endpoint.ts'
import { listOrders, type ListedOrder } from '#contract/studio/orders.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { EmailText } from '#web/studio/ui/EmailText.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { formatTime } from '#web/studio/format.ts'
import { gatewayNames, productName, ordersPath } from './order-copy.ts'
import { OrderState } from './OrderState.tsx'
import styles from './payments.module.css'

/** A list of orders, the latest first, paginated. */
export function OrderList({
  filter,
  caption,
  ofOneCustomer = false,
}: {
  filter: QueryOf<typeof listOrders>
  caption: string
  /** Omits the customer's column, which would contain the same address in each row. */
  ofOneCustomer?: boolean
}) {
  const { t, language } = useTexts()
  const { pathname, search } = useLocation()
  const from = pathname === ordersPath ? search : ''
  const orders = useInfiniteQuery({
    queryKey: ['orders', filter, language],
    queryFn: ({ pageParam, signal }) =>
      call(listOrders, { query: { ...filter, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const columns = [
    {
      title: t('payments.order'),
      cell: (order: ListedOrder) => (
        <PageLink to={`${ordersPath}/orders/${order.id}`} from={from}>
          {productName(t, order)}
        </PageLink>
      ),
    },
    { title: t('payments.status'), cell: (order: ListedOrder) => <OrderState order={order} /> },
    {
      title: t('payments.amount'),
      figures: true,
      cell: ({ amount_cents, currency }: ListedOrder) => money(amount_cents, currency),
    },
    {
      title: t('payments.refunded'),
      figures: true,
      cell: ({ refunded_cents, currency }: ListedOrder) =>
        refunded_cents > 0 ? money(refunded_cents, currency) : '–',
    },
    { title: t('payments.gateway'), cell: ({ gateway }: ListedOrder) => gatewayNames[gateway] },
    ...(ofOneCustomer
      ? []
      : [
          {
            title: t('payments.buyer'),
            cell: ({ email, user_id }: ListedOrder) => (
              <span className={styles.id}>
                <EmailText text={email ?? user_id} />
              </span>
            ),
          },
        ]),
    { title: t('payments.date'), cell: ({ created_at }: ListedOrder) => formatTime(created_at, language) },
  ]
  return (
    <div className={styles.list} aria-busy={orders.isPending}>
      {orders.data && (
        <Table
          caption={caption}
          columns={columns}
          rows={orders.data.pages.flatMap(({ list }) => list)}
          keyOf={({ id }) => id}
          empty={t('payments.noOrders')}
        />
      )}
      <ListFooter pages={orders} empty={null} />
    </div>
  )
}
