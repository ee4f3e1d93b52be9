import { useEffect } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { OfferedGateway, Order } from '#contract/billing.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { orderFormPath } from '#web/lib/paths.ts'
import { track } from '#web/lib/tracking/track.ts'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useCloseOnBack } from '#web/ui/use-close-on-back.ts'
import { OrderFrame } from '#web/features/billing/payments/OrderFrame.tsx'
import { readReport, type OrderReport } from '#web/features/billing/payments/order-report.ts'
import { rememberReturnPath } from './return-path.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'

interface CheckoutProps {
  choice: Choice
  gateway: OfferedGateway
  /** The video whose paywall opened the form. */
  video?: string
  onClose: () => void
  /** Called with the order, or without it if the user already owns the item. */
  onPaid: (order?: Order) => void
}

/** Tracks the start of a checkout. */
export function trackCheckout({
  id: contentId,
  cents,
  currency,
}: Pick<Choice, 'id' | 'cents' | 'currency'>): void {
  track({ name: 'InitiateCheckout', contentId, cents, currency })
}

/** Shows a sheet with a frame that contains the page of the card form, and reports the order's result. */
export function Checkout({ choice, gateway, video, onClose, onPaid }: CheckoutProps) {
  const { t } = useTranslation()
  const onReport = (report: OrderReport) => {
    if (report.type === 'owned') {
      onClose()
      onPaid()
    } else if (report.type === 'paid') {
      trackSale(report.order)
      onClose()
      onPaid(report.order)
    } else if (report.type === 'redirect') {
      rememberReturnPath(report.order.id)
      location.assign(report.url)
    }
  }
  useCloseOnBack(onClose)
  const { id, cents, currency } = choice
  useEffect(() => trackCheckout({ id, cents, currency }), [id, cents, currency])
  const path = orderFormPath({
    kind: choice.kind,
    id: choice.id,
    gateway: gateway.id,
    method: gateway.kind,
    ...(video === undefined ? {} : { video }),
  })
  return (
    <Sheet title={t('pay.formTitle')} onClose={onClose} tall>
      <OrderFrame path={path} title={t('pay.formTitle')} read={readReport} onReport={onReport} />
    </Sheet>
  )
}
