import { maxMessageLength } from '#contract/pages.ts'

/** The limits that forms check before they send a value. The server checks them again. */
const maxEmailLength = 254
const maxNameLength = 64
const passwordLength = { min: 8, max: 128 }

/** Returns the number of code points, which is closer to visible characters than UTF-16 units are. */
const lengthOf = (text: string) => [...text].length

export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && /^[^\s@<>()[\],:;"\\]+@[^\s@<>()[\],:;"\\]+$/.test(text.trim())
}

export function isValidName(text: string): boolean {
  const length = lengthOf(text.trim())
  return length >= 1 && length <= maxNameLength
}

/** Returns whether a message to the operator has a valid length. */
export function isValidMessage(text: string): boolean {
  const length = lengthOf(text.trim())
  return length >= 1 && length <= maxMessageLength
}

export function isValidPasswordLength(text: string): boolean {
  const length = lengthOf(text)
  return length >= passwordLength.min && length <= passwordLength.max
}
