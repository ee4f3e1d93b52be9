import type { Charge, OnSessionCharge } from '#server/features/billing/gateways/gateway.ts'
import { toPaypal } from './amounts.ts'

/** Tells PayPal that later payments are renewals of a subscription, each paid in advance. */
export const usagePattern = 'SUBSCRIPTION_PREPAID'

/**
 * Builds the body of an order that the user approves at PayPal. With `save`, the order also saves the wallet for
 * renewals.
 */
export function buildOrderRequest(
  charge: OnSessionCharge,
  redirectUrls: { return_url: string; cancel_url: string },
): string {
  return buildRequest(charge, {
    experience_context: {
      ...redirectUrls,
      user_action: 'PAY_NOW',
      shipping_preference: 'NO_SHIPPING',
    },
    ...(charge.save
      ? {
          attributes: {
            vault: { store_in_vault: 'ON_SUCCESS', usage_type: 'MERCHANT', usage_pattern: usagePattern },
          },
        }
      : {}),
  })
}

/** Builds the body of a renewal, which PayPal captures immediately. */
export function buildRenewalRequest(charge: Charge, vaultId: string): string {
  return buildRequest(charge, {
    vault_id: vaultId,
    stored_credential: {
      payment_initiator: 'MERCHANT',
      usage: 'SUBSEQUENT',
      usage_pattern: usagePattern,
    },
  })
}

/** Builds the body of an order. PayPal limits `custom_id` and `invoice_id` to 127 characters, `reference_id` to 256. */
function buildRequest(
  { orderId, attemptId, amountCents, currency, purchase }: Charge,
  paypal: object,
): string {
  return JSON.stringify({
    intent: 'CAPTURE',
    purchase_units: [
      {
        reference_id: purchase,
        custom_id: orderId,
        invoice_id: attemptId,
        amount: toPaypal(amountCents, currency),
      },
    ],
    payment_source: { paypal },
  })
}
