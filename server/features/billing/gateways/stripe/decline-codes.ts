import type Stripe from 'stripe'
import type { DeclineCode } from '#server/features/billing/gateways/gateway.ts'

/** Our decline codes by Stripe's `code`. */
const codes: Record<string, DeclineCode> = {
  authentication_required: 'authentication_required',
  payment_intent_authentication_failure: 'authentication_failed',
  setup_intent_authentication_failure: 'authentication_failed',
  expired_card: 'card_expired',
  invalid_expiry_month: 'card_expired',
  invalid_expiry_year: 'card_expired',
  incorrect_cvc: 'wrong_cvc',
  invalid_cvc: 'wrong_cvc',
  insufficient_funds: 'insufficient_funds',
  card_declined: 'card_declined',
  incorrect_number: 'card_declined',
  invalid_number: 'card_declined',
  card_not_supported: 'card_declined',
  processing_error: 'other',
}

/** Our decline codes by Stripe's `decline_code`. This is the bank's own reason, so it takes precedence over `code`. */
const bankCodes: Record<string, DeclineCode> = {
  authentication_required: 'authentication_required',
  insufficient_funds: 'insufficient_funds',
  withdrawal_count_limit_exceeded: 'insufficient_funds',
  expired_card: 'card_expired',
  incorrect_cvc: 'wrong_cvc',
  invalid_cvc: 'wrong_cvc',
  lost_card: 'card_lost',
  stolen_card: 'card_lost',
  pickup_card: 'card_lost',
}

type StripeDecline = Pick<Stripe.PaymentIntent.LastPaymentError, 'code' | 'decline_code'>

/** Maps a decline by Stripe or the bank to our decline code. */
export function declineCodeOf({ code, decline_code }: StripeDecline): DeclineCode {
  return bankCodes[decline_code ?? ''] ?? codes[code ?? ''] ?? 'other'
}
