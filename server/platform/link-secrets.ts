import { hash, randomBytes } from 'node:crypto'

/** Generates a secret for a link or a cookie: 256 random bits in URL-safe characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a secret of `newSecret` for storage. Its 256 random bits make a plain hash irreversible. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
