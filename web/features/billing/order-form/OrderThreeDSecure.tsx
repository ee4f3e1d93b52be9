import { useCallback, useEffect, useState } from 'react'
import type { Order } from '#contract/billing.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { ThreeDSecureFrame } from '#web/features/billing/payments/ThreeDSecureFrame.tsx'
import { isFramed, reportOrder } from '#web/features/billing/payments/order-report.ts'
import { orderAfterThreeDSecure, readOrder } from '#web/features/billing/payments/pay.ts'
import styles from '#web/features/billing/payments/order-page.module.css'

/**
 * The 3-D Secure check of an order paid by a saved card. Reports the result to the page around the frame. Without a
 * frame, shows the order.
 */
export function OrderThreeDSecure({ orderId }: { orderId: string }) {
  const { t } = useTranslation()
  const [order, setOrder] = useState<Order>()
  const [failed, setFailed] = useState(false)
  const [tries, setTries] = useState(0)
  const finish = useCallback(async () => {
    leave(await orderAfterThreeDSecure(orderId))
  }, [orderId])
  useEffect(() => {
    const show = async () => {
      const read = await readOrder(orderId)
      const { type, client_secret: secret } = read.next
      if (type !== 'authenticate') return finish()
      setOrder(read)
      if (secret === undefined) return
      const { handleNextAction } = await import('#web/features/billing/stripe/handle-next-action.ts')
      await handleNextAction(secret)
      await finish()
    }
    setFailed(false)
    show().catch(() => setFailed(true))
  }, [orderId, finish, tries])
  const checked = () => void finish().catch(() => setFailed(true))
  if (failed) return <LoadError onRetry={() => setTries(tries + 1)} />
  if (order?.next.url) return <ThreeDSecureFrame url={order.next.url} onChecked={checked} />
  return <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
}

function leave(order: Order): void {
  if (isFramed()) reportOrder(order)
  else location.assign(`/order/result?order_id=${encodeURIComponent(order.id)}`)
}
