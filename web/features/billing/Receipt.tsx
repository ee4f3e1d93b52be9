import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Order } from '#contract/billing.ts'
import { homepageQuery } from '#web/features/catalog/queries.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { longDate } from '#web/lib/format.ts'
import { money } from '#web/lib/money.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { useBought } from './use-bought.ts'
import { useOrder } from './use-order.ts'
import './print.css'
import { settings } from '#web/lib/settings.ts'
import styles from './receipt.module.css'

/** Whether money was paid for an order, though some may have gone back since. */
export const hasReceipt = ({ paid_at }: Order): boolean => paid_at !== undefined

/** The receipt of one order, on screen and as a clean page on paper. */
export function Receipt({ orderId }: { orderId: string }) {
  const { t } = useTranslation()
  const { order, unknown, lost, retry } = useOrder(orderId)
  return (
    <section className={styles.receipt}>
      <title>{t('orders.receipt')}</title>
      <div className={styles.tools}>
        <Link className={buttonClass('quiet')} to={paths.my.to()}>
          {t('orders.back')}
        </Link>
        {order && hasReceipt(order) && <Button onClick={() => print()}>{t('orders.print')}</Button>}
      </div>
      {unknown && <p role="alert">{t('orders.unknown')}</p>}
      {lost && <CouldNotLoad onRetry={retry} />}
      {!order && !unknown && !lost && (
        <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
      )}
      {order && (hasReceipt(order) ? <Paper order={order} /> : <p role="status">{t('orders.notPaid')}</p>)}
    </section>
  )
}

function Paper({ order }: { order: Order }) {
  const { t } = useTranslation()
  const bought = useBought(order)
  const user = useQuery(userQuery).data
  const seller = useQuery(homepageQuery).data?.copyright.text.replace(/^(©|\(c\))\s*(\d{4}\s*)?/i, '')
  const person = [user?.display_name, user?.email].filter(Boolean).join(', ')
  const kept = order.amount_cents - order.refunded_cents
  return (
    <article className={styles.paper} aria-labelledby="receipt">
      <header className={styles.head}>
        <p className={styles.site}>{settings.site}</p>
        <h1 id="receipt">{t('orders.receipt')}</h1>
      </header>
      <dl className={styles.facts}>
        <Fact name={t('orders.number')} value={order.id} />
        <Fact name={t('orders.date')} value={longDate(order.paid_at)} />
        {person && <Fact name={t('orders.for')} value={person} />}
        <Fact name={t('orders.seller')} value={seller ?? settings.site} />
        <Fact name={t('orders.way')} value={order.gateway === 'paypal' ? t('pay.paypal') : t('pay.card')} />
      </dl>
      <table className={styles.lines}>
        <thead>
          <tr>
            <th scope="col">{t('orders.what')}</th>
            <th scope="col">{t('orders.amount')}</th>
          </tr>
        </thead>
        <tbody>
          <Line name={bought} value={money(order.amount_cents, order.currency)} />
          {order.refunded_cents > 0 && (
            <Line name={t('orders.refund')} value={money(-order.refunded_cents, order.currency)} />
          )}
        </tbody>
        <tfoot>
          <Line name={t('orders.total')} value={money(kept, order.currency)} />
        </tfoot>
      </table>
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

function Line({ name, value }: { name: string; value: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{value}</td>
    </tr>
  )
}
