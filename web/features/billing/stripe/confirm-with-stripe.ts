import type { PaymentPurpose, PurposeState } from '#web/features/billing/payments/card-entry.ts'
import type { BillingDetails } from '#web/features/billing/payments/billing-details.ts'
import type { Confirmed, FieldKind, StripeField, StripeScript } from './stripe-script.ts'

interface Fields {
  number: StripeField
  /** Marks a field as invalid, and focuses it. */
  markInvalid(kind: FieldKind): void
}

/** Returns a function that confirms a payment or a method setup with the card in Stripe's fields. */
export function createCardConfirmer(
  stripe: Pick<StripeScript, 'confirmCardPayment' | 'confirmCardSetup'>,
  { number, markInvalid }: Fields,
) {
  return createIntentConfirmer(
    (secret, details) => {
      const [email, name] = [details.email.trim(), `${details.first.trim()} ${details.last.trim()}`]
      const billing_details = { name, ...(email ? { email } : {}) }
      const data = { payment_method: { card: number, billing_details } }
      const isSetup = secret.startsWith('seti_')
      return isSetup ? stripe.confirmCardSetup(secret, data) : stripe.confirmCardPayment(secret, data)
    },
    (code) => markInvalid(fieldOfError(code)),
  )
}

/**
 * Returns a function that confirms an intent of our server with Stripe's script, including 3-D Secure if required. Our
 * server then reads the result from Stripe, because the script's own report is not trusted.
 * @param onInvalidField called with the error code of an invalid field; without it, a validation error counts as a
 * failed attempt
 */
export function createIntentConfirmer(
  confirm: (secret: string, details: BillingDetails) => Promise<Confirmed>,
  onInvalidField?: (code: string | undefined) => void,
) {
  // After a failed attempt an intent cannot be confirmed again; a retry needs a new intent.
  const attemptedSecrets = new Set<string>()
  return async <T extends PurposeState>(
    purpose: PaymentPurpose<T>,
    details: BillingDetails,
  ): Promise<T | null> => {
    const existingSecret = purpose.current?.next.client_secret
    const state =
      purpose.current && existingSecret !== undefined && !attemptedSecrets.has(existingSecret)
        ? purpose.current
        : await purpose.send(undefined, details)
    const secret = state.next.client_secret
    if (state.status !== 'pending' || secret === undefined) return state
    // The confirmation may have succeeded even if the script fails.
    const { error }: Confirmed = await confirm(secret, details).catch(() => ({}))
    if (error?.type === 'validation_error' && onInvalidField) {
      onInvalidField(error.code)
      return null
    }
    attemptedSecrets.add(secret)
    return purpose.read(state, intentIdOf(secret), details)
  }
}

function fieldOfError(code = ''): FieldKind {
  if (code.includes('expiry')) return 'cardExpiry'
  return code.includes('cvc') ? 'cardCvc' : 'cardNumber'
}

/** Returns the intent's id, which is the prefix of its client secret. */
const intentIdOf = (secret: string) => secret.split('_secret_')[0] ?? ''
