import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Order } from '#contract/billing.ts'
import type { Receipt as Facts } from '#contract/consumer-rights.ts'
import { orderNumber } from '#contract/order-number.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatLongDate, formatPercent } from '#web/lib/format.ts'
import { money } from '#web/lib/format-money.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { receiptQuery } from '#web/features/billing/payments/queries.ts'
import { usePurchaseTitle } from './use-purchase-title.ts'
import { hasReceipt, useOrder } from './use-order.ts'
import './print.css'
import { settings } from '#web/lib/settings.ts'
import styles from './receipt.module.css'

/** The receipt of one order, which can be printed. */
export function Receipt({ orderId }: { orderId: string }) {
  const { t } = useTranslation()
  const { order, unknown: isNotFound, lost: hasFailed, retry } = useOrder(orderId)
  const paid = order !== undefined && hasReceipt(order)
  const { data: facts, isError, refetch } = useQuery({ ...receiptQuery(orderId), enabled: paid })
  const failed = hasFailed || (isError && !facts)
  return (
    <section className={styles.receipt}>
      <title>{t('orders.receipt')}</title>
      <div className={styles.tools}>
        <Link className={buttonClass('quiet')} to={paths.my.to()}>
          {t('orders.back')}
        </Link>
        {paid && facts && <Button onClick={() => print()}>{t('orders.print')}</Button>}
      </div>
      {isNotFound && <p role="alert">{t('orders.unknown')}</p>}
      {failed && <LoadError onRetry={paid ? () => void refetch() : retry} />}
      {!isNotFound && !failed && (paid ? !facts : !order) && (
        <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
      )}
      {order && !paid && <p role="status">{t('orders.notPaid')}</p>}
      {paid && facts && <ReceiptDocument order={order} facts={facts} />}
    </section>
  )
}

/**
 * Returns the amount that was paid with money and not refunded. Bonus money counts as a discount and is refunded last.
 */
const netPaidCents = ({ amount_cents, refunded_cents, discount_cents = 0 }: Facts) =>
  Math.max(0, amount_cents - discount_cents - refunded_cents)

const methodKeys = {
  sandbox: 'pay.card',
  stripe: 'pay.card',
  paypal: 'pay.paypal',
  balance: 'orders.balance',
} as const

function ReceiptDocument({ order, facts }: { order: Order; facts: Facts }) {
  const { t } = useTranslation()
  const purchaseTitle = usePurchaseTitle(order)
  const user = useQuery(userQuery).data
  const details = [user?.display_name, user?.email ?? facts.email].filter(Boolean).join(', ')
  const { seller, currency, renewal } = facts
  return (
    <article className={styles.paper} aria-labelledby="receipt">
      <header className={styles.head}>
        <p className={styles.site}>{settings.site}</p>
        <h1 id="receipt">{t('orders.receipt')}</h1>
      </header>
      <dl className={styles.facts}>
        <Fact name={t('orders.number')} value={orderNumber(order.id)} />
        <Fact name={t('orders.date')} value={formatLongDate(facts.paid_at)} />
        {details && <Fact name={t('orders.for')} value={details} />}
        <Fact name={t('orders.seller')} value={[seller.name, seller.address].filter(Boolean).join(', ')} />
        {seller.tax_number && <Fact name={t('orders.taxNumber')} value={seller.tax_number} />}
        <Fact name={t('orders.method')} value={t(methodKeys[order.gateway])} />
      </dl>
      <table className={styles.lines}>
        <thead>
          <tr>
            <th scope="col">{t('orders.item')}</th>
            <th scope="col">{t('orders.amount')}</th>
          </tr>
        </thead>
        <tbody>
          <AmountRow name={purchaseTitle} value={money(facts.amount_cents, currency)} />
          {facts.discount_cents !== undefined && facts.discount_cents > 0 && (
            <AmountRow name={t('orders.discount')} value={money(-facts.discount_cents, currency)} />
          )}
          {facts.refunded_cents > 0 && (
            <AmountRow name={t('orders.refund')} value={money(-facts.refunded_cents, currency)} />
          )}
        </tbody>
        <tfoot>
          <AmountRow name={t('orders.net')} value={money(facts.net_cents, currency)} />
          <AmountRow
            name={t('orders.tax', { rate: formatPercent(facts.tax_percent) })}
            value={money(facts.tax_cents, currency)}
          />
          <AmountRow name={t('orders.total')} value={money(netPaidCents(facts), currency)} />
        </tfoot>
      </table>
      {renewal && (
        <p className={styles.note}>
          {t('orders.renews', {
            date: formatLongDate(renewal.at),
            price: money(renewal.price_cents, renewal.currency),
            days: t('pay.days', { count: renewal.period_days }),
          })}
        </p>
      )}
      <p className={styles.note}>
        {t(`orders.status.${order.status}`)}. {order.gateway === 'sandbox' && t('orders.sandbox')}
      </p>
    </article>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function AmountRow({ name, value }: { name: string; value: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{value}</td>
    </tr>
  )
}
