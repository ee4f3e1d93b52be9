import type { Order } from '#contract/billing.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { orderThreeDSecurePath } from '#web/lib/paths.ts'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useCloseOnBack } from '#web/ui/use-close-on-back.ts'
import { OrderFrame } from '#web/features/billing/payments/OrderFrame.tsx'
import { readReport, type OrderReport } from '#web/features/billing/payments/order-report.ts'

interface ThreeDSecureSheetProps {
  order: Order
  /** Called when the check has ended; `order` has the result. */
  onChecked: (order: Order) => void
  onClose: () => void
}

/** The 3-D Secure check of a payment with a saved card. It runs on the only page that may connect to gateways. */
export function ThreeDSecureSheet({ order, onChecked, onClose }: ThreeDSecureSheetProps) {
  const { t } = useTranslation()
  const onReport = (report: OrderReport) => {
    if (report.type === 'paid' || report.type === 'unpaid') onChecked(report.order)
  }
  useCloseOnBack(onClose)
  return (
    <Sheet title={t('order.bankVerification')} onClose={onClose} tall>
      <OrderFrame
        path={orderThreeDSecurePath(order.id)}
        title={t('pay.formTitle')}
        read={readReport}
        onReport={onReport}
      />
    </Sheet>
  )
}
