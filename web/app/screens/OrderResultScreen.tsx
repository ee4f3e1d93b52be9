import '#web/i18n/watch.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { Order } from '#contract/billing.ts'
import { orderQuery } from '#web/features/billing/queries.ts'
import { wayBack } from '#web/features/billing/way-back.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { money } from '#web/lib/format.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import styles from '#web/app/shell.module.css'

const restMs = 1_200

/** Refreshed until the order is final; "paid" leads straight back to where the viewer was. */
export function Component() {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const orderId = search.get('order_id') ?? ''
  const { data: order, error, refetch } = useQuery({ ...orderQuery(orderId), enabled: orderId !== '' })
  const back = wayBack() ?? (order?.video_id ? paths.video.to(order.video_id) : paths.home.to())
  const paid = order?.status === 'paid'
  useEffect(() => {
    if (!paid) return
    const timer = setTimeout(() => void navigate(back, { replace: true }), restMs)
    return () => clearTimeout(timer)
  }, [paid, back, navigate])
  useEffect(() => {
    if (order) trackSale(order)
  }, [order])
  const words = !orderId || error ? t('result.unknown') : t(`result.${wordOf(order)}`)
  return (
    <section className={styles.message}>
      <title>{t('result.title')}</title>
      <h1>{t('result.title')}</h1>
      <p role="status">{words}</p>
      {order && (
        <p>{`${t('result.amount')}: ${money(order.amount_cents, order.currency)} · ${t('result.order')} ${order.id}`}</p>
      )}
      <Link className={buttonClass('main')} to={back}>
        {t('result.watch')}
      </Link>
      {error && orderId && (
        <Button look="quiet" onClick={() => void refetch()}>
          {t('result.again')}
        </Button>
      )}
    </section>
  )
}

function wordOf(
  order: Order | undefined,
): 'pending' | 'paid' | 'cancelled' | 'failed' | 'expired' | 'refunded' {
  if (!order) return 'pending'
  switch (order.status) {
    case 'partially_refunded':
    case 'refunded':
    case 'charged_back':
      return 'refunded'
    default:
      return order.status
  }
}
