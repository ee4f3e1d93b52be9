import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Order } from '#contract/billing.ts'
import { SignInAgain } from '#web/features/members/forms/SignInAgain.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { money } from '#web/lib/format-money.ts'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { ordersQuery } from '#web/features/billing/payments/queries.ts'
import { hasReceipt } from './use-order.ts'
import { usePurchaseTitle } from './use-purchase-title.ts'
import { orderStatusText } from '#web/features/billing/payments/order-status.ts'
import styles from './orders.module.css'

/** The user's orders, newest first, with item, date, amount and status. A paid order has a link to its receipt. */
export function Orders() {
  const { t } = useTranslation()
  const pages = useInfiniteQuery(ordersQuery)
  const orders = (pages.data?.pages ?? []).flatMap(({ list }) => list)
  return (
    <>
      <ul className={styles.orders}>
        {pages.isPending && <Skeleton />}
        {orders.map((order) => (
          <OrderLine key={order.id} order={order} />
        ))}
      </ul>
      <ListFooter pages={pages} empty={<p>{t('orders.empty')}</p>} signIn={<SignInAgain />} />
    </>
  )
}

function OrderLine({ order }: { order: Order }) {
  const { t } = useTranslation()
  const purchaseTitle = usePurchaseTitle(order)
  return (
    <li className={styles.order}>
      <p className={styles.what}>{purchaseTitle}</p>
      <p className={styles.amount}>{money(order.amount_cents, order.currency)}</p>
      <p className={styles.when}>
        {formatLongDate(order.paid_at ?? order.created_at)} · {orderStatusText(t, order)}
      </p>
      {hasReceipt(order) && (
        <Link
          className={buttonClass('quiet')}
          to={`${paths.my.to()}?receipt=${encodeURIComponent(order.id)}`}
          aria-label={t('orders.receiptOf', { name: purchaseTitle })}
        >
          {t('orders.receipt')}
        </Link>
      )}
      {(order.processing || (order.status === 'pending' && order.starts_at === undefined)) && (
        <Link className={buttonClass('quiet')} to={paths.orderResult.to(order.id)}>
          {t('orders.find')}
        </Link>
      )}
    </li>
  )
}

function Skeleton() {
  return [1, 2, 3].map((i) => <li key={i} className={styles.skeleton} aria-hidden="true" />)
}
