import '#web/i18n/watch.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { Order } from '#contract/billing.ts'
import { orderNumber } from '#contract/order-number.ts'
import { useOrder } from '#web/features/billing/orders/use-order.ts'
import { useReturnPath } from '#web/features/billing/paywall/return-path.ts'
import {
  isFullyRefunded,
  shouldShowOfferAgain,
  orderResultText,
} from '#web/features/billing/payments/order-status.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { money } from '#web/lib/format-money.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import styles from '#web/app/shell.module.css'

const redirectDelayMs = 1_200

/**
 * Shows the result of an order, and polls until its status is final. After a payment, opens the page where the purchase
 * began.
 */
export function Component() {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const orderId = search.get('order_id') ?? ''
  const { order, unknown: isNotFound, lost: hasFailed, retry } = useOrder(orderId)
  const returnPath = useReturnPath(orderId) ?? returnPathOf(order)
  const paid = order?.status === 'paid'
  useRefetchWhenPaid(paid)
  useEffect(() => {
    if (!paid) return
    const timer = setTimeout(() => void navigate(returnPath, { replace: true }), redirectDelayMs)
    return () => clearTimeout(timer)
  }, [paid, returnPath, navigate])
  useEffect(() => {
    if (order) trackSale(order)
  }, [order])
  return (
    <section className={styles.message}>
      <title>{t('result.title')}</title>
      <h1>{t('result.title')}</h1>
      {hasFailed ? (
        <>
          <p role="alert">{t('list.failed')}</p>
          <Button onClick={retry}>{t('list.retry')}</Button>
        </>
      ) : (
        <p role="status">{isNotFound ? t('result.unknown') : orderResultText(t, order)}</p>
      )}
      {order && (
        <p>{`${t('result.amount')}: ${money(order.amount_cents, order.currency)} · ${t('result.order')} ${orderNumber(order.id)}`}</p>
      )}
      <Link
        className={buttonClass(hasFailed ? 'quiet' : 'main')}
        to={isNotFound ? paths.home.to() : returnPath}
      >
        {t(isNotFound ? 'list.browseDramas' : linkTextOf(order))}
      </Link>
    </section>
  )
}

/** Returns the key of the link's text. The text offers to watch the item only after the payment. */
function linkTextOf(order: Order | undefined) {
  if (!order) return 'video.back'
  if (shouldShowOfferAgain(order)) return isFullyRefunded(order) ? 'result.buyAgain' : 'result.tryAgain'
  return order.status === 'pending' || order.processing ? 'video.back' : 'result.watch'
}

/** Returns the default path to go back to: the purchased episode or video, else the homepage. */
function returnPathOf(order: Order | undefined): string {
  return order?.video_id ? paths.video.to(order.video_id, order.episode_number) : paths.home.to()
}

/** Refetches all data on screen after a payment, because the payment may have changed it. */
function useRefetchWhenPaid(paid: boolean): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    if (paid) void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'order' })
  }, [paid, queryClient])
}
