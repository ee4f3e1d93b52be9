import type { OrderGatewayId } from '#contract/billing.ts'

/**
 * Returns the URL of the page where an operator answers a dispute at its gateway. Returns null for the sandbox and the
 * balance, and for Stripe if neither the payment nor the dispute has a reference.
 */
export function disputeUrl(
  gateway: OrderGatewayId,
  { payment, dispute }: { payment: string | null; dispute: string | null },
): string | null {
  if (gateway === 'paypal')
    return dispute === null
      ? 'https://www.paypal.com/resolutioncenter'
      : `https://www.paypal.com/resolutioncenter/view/${encodeURIComponent(dispute)}`
  if (gateway === 'sandbox' || gateway === 'balance' || (payment === null && dispute === null)) return null
  return dispute === null
    ? `https://dashboard.stripe.com/payments/${encodeURIComponent(payment ?? '')}`
    : `https://dashboard.stripe.com/disputes/${encodeURIComponent(dispute)}`
}
