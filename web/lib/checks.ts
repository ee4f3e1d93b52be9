import { longestMessage } from '#contract/pages.ts'

/** Rules for e-mail addresses, names and messages, which forms check before the server checks them again. */
const longestEmail = 254
const longestName = 64
const passwordLength = { least: 8, most: 128 }

/** Counts characters as users see them, not UTF-16 units. */
const lengthOf = (text: string) => [...text].length

export function isEmail(text: string): boolean {
  return text.length <= longestEmail && /^[^\s@<>()[\],:;"\\]+@[^\s@<>()[\],:;"\\]+$/.test(text.trim())
}

export function isName(text: string): boolean {
  const length = lengthOf(text.trim())
  return length >= 1 && length <= longestName
}

/** Checks the length of a message to the operator. */
export function isMessage(text: string): boolean {
  const length = lengthOf(text.trim())
  return length >= 1 && length <= longestMessage
}

export function isPasswordLength(text: string): boolean {
  const length = lengthOf(text)
  return length >= passwordLength.least && length <= passwordLength.most
}
