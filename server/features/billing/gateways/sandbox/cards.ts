import type { DeclineCode } from '#server/features/billing/gateways/gateway.ts'

/** How the simulated bank responds to a test card. `asks…` means that the bank requires 3-D Secure. */
export type Behaviour =
  | 'pays'
  | 'declined'
  | 'no_funds'
  | 'expired'
  | 'bad_cvc'
  | 'asks_once'
  | 'asks_always'
  | 'declines_later'
  | 'disputed'

/** Stripe's published test numbers. The sandbox accepts no other numbers. */
const testCards: Record<string, Behaviour> = {
  '4242424242424242': 'pays',
  '4000000000000002': 'declined',
  '4000000000009995': 'no_funds',
  '4000000000000069': 'expired',
  '4000000000000127': 'bad_cvc',
  '4000000000003220': 'asks_once',
  '4000002760003184': 'asks_always',
  '4000000000000341': 'declines_later',
  '4000000000000259': 'disputed',
}

/** The test card numbers. The first one is the card that always pays. */
export const testCardNumbers: readonly string[] = Object.keys(testCards)

export function behaviourOf(cardNumber: string): Behaviour | undefined {
  return testCards[cardNumber]
}

export type ChargeResult =
  | { status: 'succeeded' | 'requires_action' }
  | { status: 'failed'; decline: DeclineCode }

const succeeded: ChargeResult = { status: 'succeeded' }
const requiresAction: ChargeResult = { status: 'requires_action' }
const declines = (decline: DeclineCode): ChargeResult => ({ status: 'failed', decline })

/** Returns the result of a charge while the user is present. */
export function presentChargeResult(behaviour: Behaviour): ChargeResult {
  switch (behaviour) {
    case 'declined':
      return declines('card_declined')
    case 'no_funds':
      return declines('insufficient_funds')
    case 'expired':
      return declines('card_expired')
    case 'bad_cvc':
      return declines('wrong_cvc')
    case 'asks_once':
    case 'asks_always':
      return requiresAction
    default:
      return succeeded
  }
}

/**
 * Returns the result of charging a saved card while the user is present. A `declines_later` card has expired by then,
 * and an `asks_once` card needs no further authentication.
 */
export function savedChargeResult(behaviour: Behaviour): ChargeResult {
  if (behaviour === 'declines_later') return declines('card_expired')
  return behaviour === 'asks_once' ? succeeded : presentChargeResult(behaviour)
}

/** Returns the result of a renewal. The user is absent, so the bank cannot authenticate them. */
export function renewalChargeResult(behaviour: Behaviour): ChargeResult {
  const result = savedChargeResult(behaviour)
  return result.status === 'requires_action' ? declines('authentication_required') : result
}
