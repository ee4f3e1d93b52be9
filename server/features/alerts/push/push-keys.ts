import { createECDH } from 'node:crypto'
import { deriveKey } from '#server/platform/encrypt.ts'

/** The key pair that signs the site's pushes (VAPID, RFC 8292), in base64url. Browsers bind subscriptions to the public key. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

/**
 * Derives the key pair from APP_SECRET: the same in every process and after each restart, with nothing to store. Another APP_SECRET
 * gives another pair; subscriptions of the former pair are kept until it is back or they expire (`deleteUnreachableSubscriptions`).
 */
export function derivePushKeys(appSecret: string): PushKeys {
  // About one in four billion secrets gives no valid private key: then Node throws at the start.
  const privateKey = deriveKey(appSecret, 'keys of pushes')
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
