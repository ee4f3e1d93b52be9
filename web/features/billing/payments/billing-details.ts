import { isEmail, isValidName } from '#web/lib/validation.ts'

/** Billing details, entered in the site's own fields. The card is entered in the gateway's fields. */
export interface BillingDetails {
  email: string
  first: string
  last: string
}

/** Returns the invalid fields, in the form's order. */
export function invalidFields({ email, first, last }: BillingDetails): (keyof BillingDetails)[] {
  return [
    ...(isEmail(email) ? [] : ['email' as const]),
    ...(isValidName(first) ? [] : ['first' as const]),
    ...(isValidName(last) ? [] : ['last' as const]),
  ]
}
