import { domainToUnicode } from 'node:url'

/**
 * Characters that an address must not contain. Characters that separate addresses and names in a mail header could make
 * a mailer send to another address than the validated one. With invisible characters, two accounts could have addresses
 * that look the same.
 */
const unsafe = /[\s<>()[\],:;"\\\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

const longest = 512
const printableAscii = /^[\x20-\x7e]*$/

/**
 * Normalises an address for storage and lookup: its domain as Unicode instead of `xn--…`, its letters in NFC. A text
 * without `@` is returned unchanged.
 */
export function normalizeEmail(text: string): string {
  const at = text.lastIndexOf('@')
  const isPlain = printableAscii.test(text) && !text.toLowerCase().includes('xn--')
  if (at < 0 || text.length > longest || isPlain) return text
  const host = text.slice(at + 1)
  return `${text.slice(0, at).normalize('NFC')}@${domainToUnicode(host) || host}`
}

/**
 * Returns whether a text is exactly one address: one `@` with text on both sides, and no character that a mailer
 * interprets.
 */
export function isEmailAddress(text: string): boolean {
  const [local, host, ...more] = text.split('@')
  return Boolean(local) && Boolean(host) && more.length === 0 && !unsafe.test(text)
}

/**
 * Returns the key of an address for lookups and rate limits: normalised and lower-cased, character by character as
 * PostgreSQL's `lower` does. JavaScript lower-cases İ to two characters, PostgreSQL to one. With JavaScript's key,
 * sign-ins as victİm@… would reach victim's account in the database, but count against a separate login throttle.
 */
export function emailLookupKey(email: string): string {
  return Array.from(normalizeEmail(email), (letter) => Array.from(letter.toLowerCase())[0]).join('')
}

/**
 * Returns whether two addresses are of the same mailbox, ignoring case. Stricter than `emailLookupKey`: the owner of
 * victİm@… is not victim. Null only equals null.
 */
export function isSameEmail(one: string | null, other: string | null): boolean {
  return one?.toLowerCase() === other?.toLowerCase()
}
