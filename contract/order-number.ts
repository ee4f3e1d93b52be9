/** Crockford's base 32: digits and capitals without I, L, O and U, which are easily misread or misheard. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const idPrefix = 'ord_'
/** An id or the beginning of one that is long enough to find a single order. */
const idBeginning = /^ord_[0-9a-f]{12,}$/
/** The order number encodes this many hexadecimal digits of the order's id: 52 of the id's 128 random bits. */
const idDigits = 13
/** The digits that 52 bits need in base 32. */
const numberLength = 11

/**
 * Returns the readable number of an order, such as `CH-1ZKM-AE02-6TD0`: the beginning of its id in base 32, and a check
 * character (product.md, section 10).
 */
export function orderNumber(id: string): string {
  const value = Number.parseInt(id.slice(idPrefix.length, idPrefix.length + idDigits), 16)
  const characters = [...value.toString(32).padStart(numberLength, '0')]
    .map((digit) => alphabet[Number.parseInt(digit, 32)])
    .join('')
  const groups = (characters + checkCharacter(characters)).match(/.{4}/g) ?? []
  return ['CH', ...groups].join('-')
}

/**
 * Parses an order's id, or its number as typed, with or without `CH`, dashes and capitals. O is read as 0, I and L as 1.
 * @returns the possible beginnings of the id; empty if the text is neither or has a typing error. Versions up to 1.1
 * used 12 hexadecimal digits. One in 32 of their numbers is also valid in the current format, so it has two possible
 * beginnings.
 */
export function orderIdPrefixes(text: string): string[] {
  if (idBeginning.test(text)) return [text]
  const typed = text
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replace(/^CH(?=.{12}$)/, '')
  if (typed.length !== numberLength + 1) return []
  const prefixes = [parseNumber(typed.replaceAll('O', '0').replaceAll(/[IL]/g, '1'))]
  if (/^[0-9A-F]+$/.test(typed)) prefixes.push(typed.toLowerCase())
  return prefixes.flatMap((digits) => (digits === undefined ? [] : [idPrefix + digits]))
}

function parseNumber(typed: string): string | undefined {
  const characters = typed.slice(0, numberLength)
  const values = [...typed].map((character) => alphabet.indexOf(character))
  if (values.includes(-1) || checkCharacter(characters) !== typed.slice(numberLength)) return undefined
  const value = values.slice(0, numberLength).reduce((sum, digit) => sum * 32 + digit, 0)
  const digits = value.toString(16).padStart(idDigits, '0')
  return digits.length === idDigits ? digits : undefined
}

/**
 * Returns the Luhn check character in base 32. It detects any wrong character, and any swap of two neighbours except
 * `0Z` and `Z0`.
 */
function checkCharacter(characters: string): string {
  const base = alphabet.length
  let sum = 0
  for (const [index, character] of [...characters].toReversed().entries()) {
    const value = alphabet.indexOf(character) * (index % 2 === 0 ? 2 : 1)
    sum += Math.floor(value / base) + (value % base)
  }
  return alphabet.charAt((base - (sum % base)) % base)
}
