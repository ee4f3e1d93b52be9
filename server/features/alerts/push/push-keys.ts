import { createECDH } from 'node:crypto'
import { keyOf } from '#server/platform/encrypt.ts'

/** What the site signs its pushes with (VAPID, RFC 8292), in base64url. Browsers tie their subscriptions to the public key. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

/**
 * Derives the keys of the site from APP_SECRET: the same in every process and after each start, with nothing to store. Under another
 * APP_SECRET they are others, and the subscriptions of these wait until it is back (`forgetUnreachable`).
 */
export function derivePushKeys(appSecret: string): PushKeys {
  // One of four billion secrets gives no key of the curve: Node then refuses it at the start.
  const privateKey = keyOf(appSecret, 'keys of pushes')
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
