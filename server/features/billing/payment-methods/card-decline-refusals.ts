import type { RefusalName } from '#contract/errors.ts'

/** The refusal that the user receives for a declined card, by `DeclineCode`. */
export const refusalByCardDecline: Record<string, RefusalName> = {
  card_declined: 'cardDeclined',
  insufficient_funds: 'insufficientFunds',
  card_expired: 'cardExpired',
  // The loss of a card is not revealed.
  card_lost: 'cardDeclined',
  wrong_cvc: 'wrongCvc',
  token_spent: 'paymentTokenExpired',
}
