import { Refusal } from '#contract/errors.ts'
import { isEmailAddress } from '#server/platform/email-address.ts'
import { hasCardNumber } from '#server/platform/card-number.ts'

const maxEmailLength = 254

/**
 * Validates an e-mail address. It must have one `@`, at most 254 characters, and no card number entered by mistake.
 * @throws Refusal emailInvalid with the field
 */
export function checkEmail(email: string): void {
  if (
    email.length > 2 * maxEmailLength ||
    [...email].length > maxEmailLength ||
    !isEmailAddress(email) ||
    hasCardNumber(email)
  )
    throw new Refusal('emailInvalid', { field: 'email' })
}

/**
 * Validates a name. It must have 1 to 64 characters, at least one of them visible, and no card number entered by
 * mistake.
 * @returns the trimmed name
 * @throws Refusal nameInvalid with the field
 */
export function checkName(name: string, field: string): string {
  const trimmed = name.trim()
  if (!/[^\p{Cc}\p{Cf}\p{Z}]/u.test(trimmed) || [...trimmed].length > 64 || hasCardNumber(trimmed))
    throw new Refusal('nameInvalid', { field })
  return trimmed
}
