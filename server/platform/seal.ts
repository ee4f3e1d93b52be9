import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** A key for one purpose, derived from APP_SECRET: what is encrypted or signed for one is worth nothing for another. */
export function keyOf(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}

/** Encrypts a text so that nobody who only has the database reads it. `about` (whose it is) has to be the same to open it. */
export function seal(key: Buffer, text: string, about: string): Buffer {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(about))
  const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
  return Buffer.concat([iv, sealing.getAuthTag(), sealed])
}

/** What was sealed. @throws Error where the key or `about` is another, or the bytes were changed */
export function open(key: Buffer, bytes: Buffer, about: string): string {
  const tag = bytes.subarray(ivBytes, ivBytes + tagBytes)
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(about))
    .setAuthTag(tag)
  return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString('utf8')
}
