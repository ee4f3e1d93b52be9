import { Refusal } from '#contract/errors.ts'
import { isAddress } from '#server/platform/email-address.ts'
import { hasCardNumber } from '#server/platform/card-number.ts'

const longestEmail = 254

/**
 * One `@`, 254 characters at most, and no card number by mistake (product.md, section 6). @throws Refusal emailInvalid with the field
 */
export function checkEmail(email: string): void {
  if (
    email.length > 2 * longestEmail ||
    [...email].length > longestEmail ||
    !isAddress(email) ||
    hasCardNumber(email)
  )
    throw new Refusal('emailInvalid', { field: 'email' })
}

/** 1 to 64 characters, one of which can be seen, and no card number by mistake. @returns the name without the spaces around it. @throws Refusal nameInvalid with the field */
export function checkName(name: string, field: string): string {
  const trimmed = name.trim()
  if (!/[^\p{Cc}\p{Cf}\p{Z}]/u.test(trimmed) || [...trimmed].length > 64 || hasCardNumber(trimmed))
    throw new Refusal('nameInvalid', { field })
  return trimmed
}
