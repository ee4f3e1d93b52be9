import { paths } from '#web/lib/paths.ts'
import { isFramed, reportOwned } from '#web/features/billing/payments/order-report.ts'
import type { CheckoutParams } from '#web/features/billing/payments/checkout-params.ts'

/** Leaves the card form for what the person has already: the page around it plays it; a page of its own leads there. */
export function leaveOwned({ kind, id }: CheckoutParams): void {
  if (isFramed()) return reportOwned()
  location.assign(kind === 'video' ? paths.video.to(id) : paths.my.to())
}
