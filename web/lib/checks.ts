import { longestMessage } from '#contract/pages.ts'

/** The rules of product.md, section 6, as the forms apply them before they ask the server, which has the last word. */
const longestEmail = 254
const longestName = 64
const passwordLength = { least: 8, most: 128 }

/** Characters as a person counts them. */
const lengthOf = (text: string) => [...text].length

export function isEmail(text: string): boolean {
  return text.length <= longestEmail && /^[^\s@<>()[\],:;"\\]+@[^\s@<>()[\],:;"\\]+$/.test(text.trim())
}

export function isName(text: string): boolean {
  const length = lengthOf(text.trim())
  return length >= 1 && length <= longestName
}

/** Of a message to the operator. */
export function isMessage(text: string): boolean {
  const length = lengthOf(text.trim())
  return length >= 1 && length <= longestMessage
}

export function isPasswordLength(text: string): boolean {
  const length = lengthOf(text)
  return length >= passwordLength.least && length <= passwordLength.most
}
