import { readSetting, settleSetting } from '#server/features/catalog/catalog.ts'
import { decrypt, encrypt, keyOf } from '#server/platform/encrypt.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db } from '#server/tables.ts'
import { forgetPushKeys } from './push-queries.ts'

/** What the site signs its pushes with (VAPID, RFC 8292), in base64url. Browsers tie their subscriptions to the public key. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

interface StoredKeys {
  public_key: string
  /** The private key, encrypted with APP_SECRET. */
  sealed: string
}

const about = 'push_keys'

/**
 * The keys that the site made at its first start; all its processes share them by the database. Under another APP_SECRET they
 * cannot be read: then there are new ones, and the subscriptions of the old ones, which no push reaches any more, are deleted.
 */
export async function openPushKeys(db: Db, appSecret: string, log: Log): Promise<PushKeys> {
  const key = keyOf(appSecret, 'keys of pushes')
  const stored = await readSetting<StoredKeys>(db, about)
  const known = stored && unseal(key, stored)
  if (known) return known
  if (stored) {
    log.warn(
      'The keys of notifications are of another APP_SECRET: browsers have to turn notifications on again',
    )
    await db.transaction().execute((tx) => forgetPushKeys(tx, stored.sealed))
  }
  const made = await makeKeys()
  const sealed = encrypt(key, made.privateKey, about).toString('base64')
  const settled = await settleSetting(db, about, { public_key: made.publicKey, sealed })
  return unseal(key, settled) ?? made
}

async function makeKeys(): Promise<PushKeys> {
  const { default: webPush } = await import('web-push')
  return webPush.generateVAPIDKeys()
}

function unseal(key: Buffer, { public_key, sealed }: StoredKeys): PushKeys | undefined {
  try {
    return { publicKey: public_key, privateKey: decrypt(key, Buffer.from(sealed, 'base64'), about) }
  } catch {
    return undefined
  }
}
