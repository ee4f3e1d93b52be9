import type { PaymentPurpose, PurposeState } from '#web/features/billing/payments/card-entry.ts'
import type { BillingDetails } from '#web/features/billing/payments/billing-details.ts'
import type { Confirmed, FieldKind, StripeField, StripeScript } from './stripe-script.ts'

interface Fields {
  number: StripeField
  /** Marks a field as invalid, and focuses it. */
  refuse(kind: FieldKind): void
}

/** Returns a function that confirms a payment or a setup with the card in Stripe's fields. */
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
 * Returns a function that confirms an intent of our server with Stripe's script, including the bank's check if needed. Our server
 * then reads the result from Stripe; the script's own report of it is not trusted.
 * @param mend called with the error code of an invalid field; without it, a validation error counts as a failed attempt
 */
export function intentGiver(
  confirm: (secret: string, details: BillingDetails) => Promise<Confirmed>,
  mend?: (code: string | undefined) => void,
) {
  // An intent cannot be confirmed again after an attempt; a retry needs a new one.
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
    // The confirmation may have succeeded even if the script fails.
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

/** Returns the id of the intent, which is the prefix of its client secret. */
const nameIn = (secret: string) => secret.split('_secret_')[0] ?? ''
