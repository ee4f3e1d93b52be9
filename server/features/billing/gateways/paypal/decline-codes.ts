import type { DeclineCode } from '#server/features/billing/gateways/gateway.ts'

/** Maps PayPal's decline reasons to our codes. All other reasons become `other`. */
const codes: Record<string, DeclineCode> = {
  INSTRUMENT_DECLINED: 'wallet_declined',
  TRANSACTION_REFUSED: 'wallet_declined',
  PAYER_CANNOT_PAY: 'wallet_declined',
  PAYER_ACCOUNT_RESTRICTED: 'wallet_declined',
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: 'wallet_declined',
  REDIRECT_PAYER_FOR_ALTERNATE_FUNDING: 'wallet_declined',
  // The user or this site has revoked the permission to charge the wallet.
  TOKEN_ID_NOT_FOUND: 'wallet_declined',
  AGREEMENT_ALREADY_CANCELLED: 'wallet_declined',
  BILLING_AGREEMENT_NOT_FOUND: 'wallet_declined',
  CARD_EXPIRED: 'card_expired',
  REFERENCED_CARD_EXPIRED: 'card_expired',
  PAYER_ACTION_REQUIRED: 'authentication_required',
}

export const declineCodeOf = (issue: string): DeclineCode => codes[issue] ?? 'other'
