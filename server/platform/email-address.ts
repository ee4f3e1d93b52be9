import { domainToUnicode } from 'node:url'

/**
 * What separates addresses and names in the header of a mail: with it, a mailer would write to another address than was checked. And
 * what cannot be seen: two addresses that look the same would be two accounts.
 */
const unsafe = /[\s<>()[\],:;"\\\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

const longest = 512
const inOneSpelling = /^[\x20-\x7e]*$/

/**
 * An address in the one spelling in which it is stored and looked for: its domain in letters, not as `xn--…`, and each letter with
 * its accents in one character. What is no address stays as it is.
 */
export function oneSpelling(text: string): string {
  const at = text.lastIndexOf('@')
  const isPlain = inOneSpelling.test(text) && !text.toLowerCase().includes('xn--')
  if (at < 0 || text.length > longest || isPlain) return text
  const host = text.slice(at + 1)
  return `${text.slice(0, at).normalize('NFC')}@${domainToUnicode(host) || host}`
}

/** Whether a text is one address: one `@` with something on both sides, and nothing that a mailer reads as more than an address. */
export function isAddress(text: string): boolean {
  const [local, host, ...more] = text.split('@')
  return Boolean(local) && Boolean(host) && more.length === 0 && !unsafe.test(text)
}

/**
 * An address as it is looked for and counted everywhere: in one spelling, without case (product.md, section 6), letter by
 * letter as PostgreSQL's `lower` does it. In JavaScript a text's İ becomes two characters, so that victİm@… would open
 * victim's account with tries of its own.
 */
export function foldEmail(email: string): string {
  return Array.from(oneSpelling(email), (letter) => Array.from(letter.toLowerCase())[0]).join('')
}

/**
 * Whether two addresses are one mailbox, compared without case. Stricter than `foldEmail`: whoever reads the mail of
 * victİm@… is not victim. Null is only null's.
 */
export function sameEmail(one: string | null, other: string | null): boolean {
  return one?.toLowerCase() === other?.toLowerCase()
}
