import { useEffect, useRef } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { OfferedGateway } from '#contract/billing.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { orderFormPath } from '#web/lib/paths.ts'
import { track } from '#web/lib/track.ts'
import { Sheet } from '#web/ui/Sheet.tsx'
import { readReport } from './order-report.ts'
import { rememberWay } from './way-back.ts'
import type { Choice } from './words.ts'
import styles from './checkout.module.css'

interface CheckoutProps {
  choice: Choice
  gateway: OfferedGateway
  onClose: () => void
  onPaid: () => void
}

/** The card form's document in a frame, so that nobody leaves the page they are on. It reports what became of the order. */
export function Checkout({ choice, gateway, onClose, onPaid }: CheckoutProps) {
  const { t, i18n } = useTranslation()
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const hear = (event: MessageEvent) => {
      const report = readReport(event, frame.current?.contentWindow)
      if (report?.type === 'paid') {
        trackSale(report.order)
        onClose()
        onPaid()
      } else if (report?.type === 'redirect') {
        rememberWay(report.order.id)
        location.assign(report.url)
      }
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [onClose, onPaid])
  const { id: contentId, cents, currency } = choice
  useEffect(
    () => track({ name: 'InitiateCheckout', contentId, cents, currency }),
    [contentId, cents, currency],
  )
  const path = orderFormPath({ kind: choice.kind, id: choice.id, gateway: gateway.id, method: gateway.kind })
  return (
    <Sheet title={t('pay.formTitle')} onClose={onClose} tall>
      <iframe
        ref={frame}
        className={styles.frame}
        src={`${path}&lang=${i18n.language}`}
        title={t('pay.formTitle')}
        allow="payment"
      />
    </Sheet>
  )
}
