import { hash, randomBytes } from 'node:crypto'

/** A secret for a link or a cookie: 256 random bits, in characters that an address takes. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept of a secret that `newSecret` made: with so many random bits, a plain hash of it cannot be turned back. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
