import { maxMessageLength } from '#contract/pages.ts'

/** Rules for e-mail addresses, names and messages, which forms check before the server checks them again. */
const maxEmailLength = 254
const maxNameLength = 64
const passwordLength = { min: 8, max: 128 }

/** Counts characters as users see them, not UTF-16 units. */
const lengthOf = (text: string) => [...text].length

export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && /^[^\s@<>()[\],:;"\\]+@[^\s@<>()[\],:;"\\]+$/.test(text.trim())
}

export function isValidName(text: string): boolean {
  const length = lengthOf(text.trim())
  return length >= 1 && length <= maxNameLength
}

/** Checks the length of a message to the operator. */
export function isValidMessage(text: string): boolean {
  const length = lengthOf(text.trim())
  return length >= 1 && length <= maxMessageLength
}

export function isValidPasswordLength(text: string): boolean {
  const length = lengthOf(text)
  return length >= passwordLength.min && length <= passwordLength.max
}
