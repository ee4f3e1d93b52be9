import { isEmail, isName } from '#web/lib/checks.ts'

/** What we ask of the person who pays; the card itself is the gateway's. */
export interface BillingDetails {
  email: string
  first: string
  last: string
}

/** The fields that are to be mended, in the form's order (product.md, section 6). */
export function badFields({ email, first, last }: BillingDetails): (keyof BillingDetails)[] {
  return [
    ...(isEmail(email) ? [] : ['email' as const]),
    ...(isName(first) ? [] : ['first' as const]),
    ...(isName(last) ? [] : ['last' as const]),
  ]
}
