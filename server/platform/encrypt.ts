import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Derives a key for one purpose from APP_SECRET: a value that is encrypted or signed for one purpose is invalid for another. */
export function keyOf(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}

/** Encrypts a text, so that the database alone does not reveal it. Decryption needs the same `about` (the owner). */
export function encrypt(key: Buffer, text: string, about: string): Buffer {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(about))
  const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
  return Buffer.concat([iv, sealing.getAuthTag(), sealed])
}

/** Decrypts bytes of `encrypt`. @throws Error if the key or `about` differs, or the bytes were changed */
export function decrypt(key: Buffer, bytes: Buffer, about: string): string {
  const tag = bytes.subarray(ivBytes, ivBytes + tagBytes)
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(about))
    .setAuthTag(tag)
  return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString('utf8')
}
