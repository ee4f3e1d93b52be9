import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Derives a key for one purpose from APP_SECRET. A value encrypted or signed for one purpose is invalid for others. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}

/** Encrypts a text, so that the database alone does not reveal it. Decryption needs the same `owner`. */
export function encrypt(key: Buffer, text: string, owner: string): Buffer {
  const iv = randomBytes(ivBytes)
  const encryptor = createCipheriv(cipher, key, iv).setAAD(Buffer.from(owner))
  const ciphertext = Buffer.concat([encryptor.update(text, 'utf8'), encryptor.final()])
  return Buffer.concat([iv, encryptor.getAuthTag(), ciphertext])
}

/** Decrypts bytes of `encrypt`. @throws Error if the key or `owner` differs, or the bytes were changed */
export function decrypt(key: Buffer, bytes: Buffer, owner: string): string {
  const tag = bytes.subarray(ivBytes, ivBytes + tagBytes)
  const decryptor = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag)
  return Buffer.concat([decryptor.update(bytes.subarray(ivBytes + tagBytes)), decryptor.final()]).toString(
    'utf8',
  )
}
