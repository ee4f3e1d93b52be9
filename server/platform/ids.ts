import { randomBytes } from 'node:crypto'

/** Kinds of ids by prefix. The prefix is all that an id reveals. */
export type IdKind =
  | 'vid'
  | 'ep'
  | 'tag'
  | 'cat'
  | 'sec'
  | 'ast'
  | 'alb'
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
  | 'top'
  | 'lot'
  | 'bal'

/** Generates a random id such as `vid_3f9c…`: 128 bits, so that none can be guessed from another. */
export function newId(kind: IdKind): string {
  return `${kind}_${randomHex()}`
}

/** Scanners of gateways and logs could mistake a run of this many digits for a card number. */
const longRun = /\d{9}/

/** Returns 32 random hexadecimal digits without a long run of decimal digits. */
export function randomHex(draw = () => randomBytes(16).toString('hex')): string {
  for (;;) {
    const digits = draw()
    if (!longRun.test(digits)) return digits
  }
}

/** Encodes a hash in letters only, so that a scanner cannot mistake a part of it for a card number. */
export function toLetters(hash: Buffer): string {
  return hash.toString('hex').replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
}
