import { createECDH } from 'node:crypto'
import { deriveKey } from '#server/platform/encrypt.ts'

/**
 * The key pair that signs the site's pushes (VAPID, RFC 8292), in base64url. A browser's subscription is bound to the
 * public key.
 */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

/**
 * Derives the key pair from APP_SECRET. Every process derives the same pair after every start, so the pair is not
 * stored. A changed APP_SECRET gives another pair. Subscriptions of the former pair are not deleted at once, because
 * the operator may restore the former secret (`deleteUnreachableSubscriptions`).
 */
export function derivePushKeys(appSecret: string): PushKeys {
  // About one in four billion secrets gives an invalid private key. `setPrivateKey` then throws, and the site does not
  // start.
  const privateKey = deriveKey(appSecret, 'keys of pushes')
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
