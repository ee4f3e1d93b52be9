import { randomBytes } from 'node:crypto'
import { keyOf, open, seal } from '#server/platform/seal.ts'

/** Where a playlist finds the key, seen from its folder; the site answers there (routes.ts). */
export const keyUri = '../key'

/** The keys that segments are encrypted with: one for each asset, sealed wherever it is kept. */
export interface MediaKeys {
  /** Whether what is made from now on is encrypted (MEDIA_ENCRYPT). */
  encrypts: boolean
  make(): Buffer
  seal(assetId: string, key: Buffer): Buffer
  /** @throws Error where the sealed key is of another asset or APP_SECRET */
  open(assetId: string, sealed: Buffer): Buffer
}

/** AES-128 wants sixteen bytes. */
const keyBytes = 16

export function createMediaKeys(appSecret: string, encrypts: boolean): MediaKeys {
  const sealing = keyOf(appSecret, 'keys of media')
  return {
    encrypts,
    make: () => randomBytes(keyBytes),
    seal: (assetId, key) => seal(sealing, key.toString('base64'), assetId),
    open: (assetId, sealed) => Buffer.from(open(sealing, sealed, assetId), 'base64'),
  }
}
