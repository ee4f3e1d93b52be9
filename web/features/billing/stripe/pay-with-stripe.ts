import type { Order } from '#contract/billing.ts'
import { payWithToken } from '#web/features/billing/pay.ts'
import type { Person } from '#web/features/billing/person.ts'
import type { Confirmed, FieldKind, StripeField, StripeScript } from './stripe-script.ts'

interface Fields {
  number: StripeField
  /** Marks a field as one to be mended, and goes there. */
  refuse(kind: FieldKind): void
}

/**
 * Pays orders with the card in Stripe's fields: Stripe's script takes it, with the bank's check where that is asked for, and
 * then our server reads how the payment stands. What the script says of it is not taken for an answer.
 */
export function stripePayer(stripe: StripeScript, { number, refuse }: Fields) {
  // A payment that was declined is closed, and another try needs another one.
  const tried = new Set<string>()
  return async (made: Order, { email, first, last }: Person): Promise<Order | null> => {
    const isOpen = made.next.client_secret !== undefined && !tried.has(made.next.client_secret)
    const order = isOpen ? made : await payWithToken(made, undefined, first, last)
    const secret = order.next.client_secret
    if (order.status !== 'pending' || secret === undefined) return order
    const billing_details = { name: `${first.trim()} ${last.trim()}`, email: email.trim() }
    const { paymentIntent, error }: Confirmed = await stripe
      .confirmCardPayment(secret, { payment_method: { card: number, billing_details } })
      // The card may have got through all the same.
      .catch(() => ({}))
    if (error?.type === 'validation_error') {
      refuse(fieldOf(error.code))
      return null
    }
    tried.add(secret)
    return payWithToken(order, paymentIntent?.id ?? nameIn(secret), first, last)
  }
}

function fieldOf(code = ''): FieldKind {
  if (code.includes('expiry')) return 'cardExpiry'
  return code.includes('cvc') ? 'cardCvc' : 'cardNumber'
}

/** A secret begins with the name of its payment. */
const nameIn = (secret: string) => secret.split('_secret_')[0] ?? ''
