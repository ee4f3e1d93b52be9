import type { RefusalName } from '#contract/errors.ts'

/** The refusal that a user receives for a declined card, by `DeclineCode`. */
export const refusalByCardDecline: Record<string, RefusalName> = {
  card_declined: 'cardDeclined',
  insufficient_funds: 'insufficientFunds',
  card_expired: 'cardExpired',
  // The exact reason is not disclosed, because the user may have stolen the card.
  card_lost: 'cardDeclined',
  wrong_cvc: 'wrongCvc',
  token_already_used: 'paymentTokenExpired',
}
