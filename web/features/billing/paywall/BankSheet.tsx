import type { Order } from '#contract/billing.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { orderCheckPath } from '#web/lib/paths.ts'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useBackCloses } from '#web/ui/use-back-closes.ts'
import { OrderFrame } from '#web/features/billing/payments/OrderFrame.tsx'
import { readReport, type OrderReport } from '#web/features/billing/payments/order-report.ts'

interface BankSheetProps {
  order: Order
  /** Called when the check has ended; the order has the result. */
  onChecked: (order: Order) => void
  onClose: () => void
}

/** The bank's check of a payment with a saved card, in the document that may connect to gateways. */
export function BankSheet({ order, onChecked, onClose }: BankSheetProps) {
  const { t } = useTranslation()
  const hear = (report: OrderReport) => {
    if (report.type === 'paid' || report.type === 'unpaid') onChecked(report.order)
  }
  useBackCloses(onClose)
  return (
    <Sheet title={t('order.bank')} onClose={onClose} tall>
      <OrderFrame
        path={orderCheckPath(order.id)}
        title={t('pay.formTitle')}
        read={readReport}
        onReport={hear}
      />
    </Sheet>
  )
}
