import type { Errand, Standing } from '#web/features/billing/card-entry.ts'
import type { Person } from '#web/features/billing/person.ts'
import type { Confirmed, FieldKind, StripeField, StripeScript } from './stripe-script.ts'

interface Fields {
  number: StripeField
  /** Marks a field as one to be mended, and goes there. */
  refuse(kind: FieldKind): void
}

/**
 * Gives Stripe the card in its fields, for a payment or to be kept: Stripe's script takes it, with the bank's check where that
 * is asked for, and then our server reads how it stands. What the script says of it is not taken for an answer.
 */
export function stripeGiver(stripe: StripeScript, { number, refuse }: Fields) {
  // What was declined is closed, and another try needs another one.
  const tried = new Set<string>()
  return async <T extends Standing>(errand: Errand<T>, person: Person): Promise<T | null> => {
    const open = errand.made?.next.client_secret
    const made =
      errand.made && open !== undefined && !tried.has(open)
        ? errand.made
        : await errand.send(undefined, person)
    const secret = made.next.client_secret
    if (made.status !== 'pending' || secret === undefined) return made
    const [email, name] = [person.email.trim(), `${person.first.trim()} ${person.last.trim()}`]
    const billing_details = { name, ...(email ? { email } : {}) }
    const data = { payment_method: { card: number, billing_details } }
    const isSetup = secret.startsWith('seti_')
    const { error }: Confirmed = await (
      isSetup ? stripe.confirmCardSetup(secret, data) : stripe.confirmCardPayment(secret, data)
    )
      // The card may have got through all the same.
      .catch(() => ({}))
    if (error?.type === 'validation_error') {
      refuse(fieldOf(error.code))
      return null
    }
    tried.add(secret)
    return errand.read(made, nameIn(secret), person)
  }
}

function fieldOf(code = ''): FieldKind {
  if (code.includes('expiry')) return 'cardExpiry'
  return code.includes('cvc') ? 'cardCvc' : 'cardNumber'
}

/** A secret begins with the name of what it is for. */
const nameIn = (secret: string) => secret.split('_secret_')[0] ?? ''
