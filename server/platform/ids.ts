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
  return `${kind}_${randomBytes(16).toString('hex')}`
}
