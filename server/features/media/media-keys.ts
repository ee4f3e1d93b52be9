import { randomBytes } from 'node:crypto'
import { deriveKey, decrypt, encrypt } from '#server/platform/encrypt.ts'

/** URI of the key, relative to the playlist's folder. The site itself serves it (routes.ts). */
export const keyUri = '../key'

/**
 * Keys of encrypted segments. Each asset has one key, which is encrypted in the database and bound to the folder of its
 * files.
 */
export interface MediaKeys {
  /** Whether new assets are encrypted (MEDIA_ENCRYPTION). */
  encrypts: boolean
  generate(): Buffer
  encrypt(folder: string, key: Buffer): Buffer
  /**
   * Decrypts a key.
   * @throws Error if the key was encrypted for another folder or with another APP_SECRET
   */
  decrypt(folder: string, encrypted: Buffer): Buffer
}

/** Key length of AES-128. */
const keyBytes = 16

export function createMediaKeys(appSecret: string, encrypts: boolean): MediaKeys {
  const encryptionKey = deriveKey(appSecret, 'keys of media')
  return {
    encrypts,
    generate: () => randomBytes(keyBytes),
    encrypt: (folder, key) => encrypt(encryptionKey, key.toString('base64'), folder),
    decrypt: (folder, ciphertext) => Buffer.from(decrypt(encryptionKey, ciphertext, folder), 'base64'),
  }
}
