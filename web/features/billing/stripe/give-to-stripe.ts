import type { PaymentPurpose, PurposeState } from '#web/features/billing/payments/card-entry.ts'
import type { BillingDetails } from '#web/features/billing/payments/billing-details.ts'
import type { Confirmed, FieldKind, StripeField, StripeScript } from './stripe-script.ts'

interface Fields {
  number: StripeField
  /** Marks a field as one to be mended, and goes there. */
  refuse(kind: FieldKind): void
}

/** Gives Stripe the card in its fields, for a payment or to be kept. */
export function stripeGiver(
  stripe: Pick<StripeScript, 'confirmCardPayment' | 'confirmCardSetup'>,
  { number, refuse }: Fields,
) {
  return intentGiver(
    (secret, details) => {
      const [email, name] = [details.email.trim(), `${details.first.trim()} ${details.last.trim()}`]
      const billing_details = { name, ...(email ? { email } : {}) }
      const data = { payment_method: { card: number, billing_details } }
      const isSetup = secret.startsWith('seti_')
      return isSetup ? stripe.confirmCardSetup(secret, data) : stripe.confirmCardPayment(secret, data)
    },
    (code) => refuse(fieldOf(code)),
  )
}

/**
 * Has Stripe's script confirm what our server has made, with the bank's check where that is asked for; then our server reads how
 * it stands. What the script says of it is not taken for an answer.
 * @param mend told what is to be mended before anything can be confirmed; without it nothing can be
 */
export function intentGiver(
  confirm: (secret: string, details: BillingDetails) => Promise<Confirmed>,
  mend?: (code: string | undefined) => void,
) {
  // What was declined is closed, and another try needs another one.
  const tried = new Set<string>()
  return async <T extends PurposeState>(
    purpose: PaymentPurpose<T>,
    details: BillingDetails,
  ): Promise<T | null> => {
    const open = purpose.made?.next.client_secret
    const made =
      purpose.made && open !== undefined && !tried.has(open)
        ? purpose.made
        : await purpose.send(undefined, details)
    const secret = made.next.client_secret
    if (made.status !== 'pending' || secret === undefined) return made
    // The payment may have got through all the same.
    const { error }: Confirmed = await confirm(secret, details).catch(() => ({}))
    if (error?.type === 'validation_error' && mend) {
      mend(error.code)
      return null
    }
    tried.add(secret)
    return purpose.read(made, nameIn(secret), details)
  }
}

function fieldOf(code = ''): FieldKind {
  if (code.includes('expiry')) return 'cardExpiry'
  return code.includes('cvc') ? 'cardCvc' : 'cardNumber'
}

/** A secret begins with the name of what it is for. */
const nameIn = (secret: string) => secret.split('_secret_')[0] ?? ''
