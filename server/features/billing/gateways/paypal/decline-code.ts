import type { DeclineCode } from '#server/features/billing/gateway.ts'

/** PayPal's words for why it takes no money, in ours; any other is `other`. */
const codes: Record<string, DeclineCode> = {
  INSTRUMENT_DECLINED: 'card_declined',
  TRANSACTION_REFUSED: 'card_declined',
  PAYER_CANNOT_PAY: 'card_declined',
  PAYER_ACCOUNT_RESTRICTED: 'card_declined',
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: 'card_declined',
  REDIRECT_PAYER_FOR_ALTERNATE_FUNDING: 'card_declined',
  // The person has taken the permission back at PayPal, or we have.
  TOKEN_ID_NOT_FOUND: 'card_declined',
  AGREEMENT_ALREADY_CANCELLED: 'card_declined',
  BILLING_AGREEMENT_NOT_FOUND: 'card_declined',
  CARD_EXPIRED: 'card_expired',
  REFERENCED_CARD_EXPIRED: 'card_expired',
  PAYER_ACTION_REQUIRED: 'check_needed',
}

export const declineCode = (issue: string): DeclineCode => codes[issue] ?? 'other'
