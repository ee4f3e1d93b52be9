import type { RefusalName } from '#contract/errors.ts'

/** What a person is told of a card, by why the gateway or the bank refused it (`DeclineCode`). */
export const cardRefusals: Record<string, RefusalName> = {
  card_declined: 'cardDeclined',
  insufficient_funds: 'insufficientFunds',
  card_expired: 'cardExpired',
  // The customer is not told more than that.
  card_lost: 'cardDeclined',
  wrong_cvc: 'wrongCvc',
  token_spent: 'tokenSpent',
}
