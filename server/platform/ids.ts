import { randomBytes } from 'node:crypto'

/** What an id stands for; the prefix is all that an id says (product.md, section 2). */
export type IdKind =
  | 'vid'
  | 'ep'
  | 'tag'
  | 'cat'
  | 'sec'
  | 'ast'
  | 'site'
  | 'lnk'
  | 'usr'
  | 'ses'
  | 'idn'
  | 'ord'
  | 'att'
  | 'sub'
  | 'ent'
  | 'plan'
  | 'pm'
  | 'pmc'
  | 'ref'
  | 'mail'
  | 'op'
  | 'upl'
  | 'exp'

/** A new random id such as `vid_3f9c…`: 128 bits, so that none can be guessed from another. */
export function newId(kind: IdKind): string {
  return `${kind}_${randomHex()}`
}

/** A run of digits as long as this could be part of what scanners of gateways and logs take for a card number. */
const longRun = /\d{9}/

/** 32 random hexadecimal digits without a long run of decimal ones. */
export function randomHex(draw = () => randomBytes(16).toString('hex')): string {
  for (;;) {
    const digits = draw()
    if (!longRun.test(digits)) return digits
  }
}

/** A hash in letters only, for a key or signature that leaves the site. */
export function lettersOf(hash: Buffer): string {
  return hash.toString('hex').replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
}
