import { Refusal } from '#contract/errors.ts'

/** One `@`, 254 characters at most (product.md, section 6). @throws Refusal emailInvalid with the field */
export function checkEmail(email: string): void {
  if ([...email].length > 254 || !/^[^@\s]+@[^@\s]+$/.test(email))
    throw new Refusal('emailInvalid', { field: 'email' })
}

/** 1 to 64 characters. @returns the name without the spaces around it. @throws Refusal nameInvalid with the field */
export function checkName(name: string, field: string): string {
  const trimmed = name.trim()
  if (trimmed === '' || [...trimmed].length > 64) throw new Refusal('nameInvalid', { field })
  return trimmed
}
